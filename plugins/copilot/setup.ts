import type { Setup } from '../../core/backend/contract.ts'

export const setup: Setup = {
  install: 'npm install -g @github/copilot',
  login: {
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    files: [],
    elsewhere: { where: "the system's keychain, or the login of gh" },
    how: 'start copilot and type /login',
  },
  measured: ['1.0.102'],
}
