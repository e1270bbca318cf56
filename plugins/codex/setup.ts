import type { Setup } from '../../core/backend/contract.ts'

export const setup: Setup = {
  install: 'npm install -g @openai/codex',
  login: {
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    files: [{ variable: 'CODEX_HOME', folder: '.codex', name: 'auth.json' }],
    elsewhere: {
      where: 'a provider of its config.toml',
      ifThere: [{ variable: 'CODEX_HOME', folder: '.codex', name: 'config.toml' }],
    },
    how: 'codex login',
  },
  measured: ['0.171.0'],
  troubles: [
    { versions: '*', text: 'a prompt above 1 048 576 characters is refused' },
    {
      versions: '<=0.171.0',
      text: 'on TERM and KILL it leaves what its tools started: ralph ends it, on Linux alone',
    },
  ],
}
