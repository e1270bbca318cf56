import { install } from '../install.ts'
import { KEY, type Program } from './program.ts'

/** The release of Claude Code that our tests run. */
export const CLAUDE_VERSION = '2.1.332'

/** Claude Code. The package for the platform holds the program itself. */
export const claude: Program = {
  name: 'claude',
  model: 'claude-sonnet-4-5',
  overloaded: 529,
  usdAnAnswer: 0.00087,
  install: () =>
    install('claude-code', {
      package: `@anthropic-ai/claude-code-${process.platform}-${process.arch}`,
      version: CLAUDE_VERSION,
      file: 'claude',
    }),
  furnish: (home, url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: `${home}/tmp`,
    // As root it refuses to work unless it is told so; the model is ours, and so is the workspace.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }),
}
