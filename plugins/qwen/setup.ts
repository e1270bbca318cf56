import type { Setup } from '../../core/backend/contract.ts'

export const setup: Setup = {
  install: 'npm install -g @qwen-code/qwen-code',
  login: {
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
    files: [{ folder: '.qwen', name: 'oauth_creds.json' }],
    elsewhere: { where: 'its settings.json', ifThere: [{ folder: '.qwen', name: 'settings.json' }] },
    how: 'start qwen and type /auth, or set OPENAI_API_KEY',
  },
  measured: ['0.24.4'],
  troubles: [
    { versions: '>=0.24.0', text: 'it was measured on Node 26; on Node 20 npm installs an older release' },
    { versions: '*', text: 'at a rate limit it waits a minute and tries again, up to ten times' },
  ],
}
