import type { Setup } from '../../core/backend/contract.ts'

export const setup: Setup = {
  install: 'npm install -g @anthropic-ai/claude-code',
  login: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: [{ variable: 'CLAUDE_CONFIG_DIR', folder: '.claude', name: '.credentials.json' }],
    elsewhere: {
      where: "macOS's keychain, or apiKeyHelper in its settings",
      ifThere: [
        { folder: 'Library', name: 'Keychains' },
        { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude', name: 'settings.json' },
      ],
    },
    how: 'start claude and type /login, or set ANTHROPIC_API_KEY',
  },
  measured: ['2.1.197', '2.1.332'],
  troubles: [
    {
      versions: '<2.1.332',
      text: 'on TERM it leaves its tools running (seen in 2.1.197): ralph ends them itself, on Linux alone',
    },
    {
      versions: '*',
      text: 'many at once with a subscription login may log each other out: an API key does not have that trouble',
    },
  ],
}
