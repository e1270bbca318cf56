import type { Setup } from '../../core/backend/contract.ts'
import { KEY_VARIABLES } from '../model-keys.ts'

export const setup: Setup = {
  install: 'npm install -g opencode-ai',
  login: {
    variables: KEY_VARIABLES,
    files: [{ variable: 'XDG_DATA_HOME', folder: '.local/share', name: 'opencode/auth.json' }],
    elsewhere: {
      where: 'a provider of its opencode.json',
      ifThere: [
        { variable: 'XDG_CONFIG_HOME', folder: '.config', name: 'opencode/opencode.json' },
        { variable: 'XDG_CONFIG_HOME', folder: '.config', name: 'opencode/opencode.jsonc' },
      ],
    },
    how: 'opencode auth login',
  },
  measured: ['1.18.33'],
  troubles: [
    { versions: '<=1.18.33', text: 'it never ends its tools, on no signal: ralph ends them, on Linux alone' },
    { versions: '<=1.18.33', text: 'each takes about 450 MB of memory, 660 MB at its fullest' },
  ],
}
