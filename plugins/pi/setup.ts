import type { Setup } from '../../core/backend/contract.ts'
import { KEY_VARIABLES } from '../model-keys.ts'

export const setup: Setup = {
  install:
    'npm install -g @earendil-works/pi-coding-agent (0.73.1 of @mariozechner/pi-coding-agent for Node 20)',
  login: {
    variables: KEY_VARIABLES,
    files: [{ variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent', name: 'auth.json' }],
    elsewhere: {
      where: 'a provider of its models.json',
      ifThere: [{ variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent', name: 'models.json' }],
    },
    how: 'start pi and type /login, or set the key of a provider',
  },
  measured: ['0.73.1', '1.6.0'],
  troubles: [{ versions: '>=1.0.0', text: 'it needs Node 22.19 or newer' }],
}
