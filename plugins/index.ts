import type { BuiltinBackend } from '../core/backend/registry.ts'

/** The built-in backends. What stands here is known without loading any of them; a test holds it to what they say themselves. */
export const builtins: Readonly<Record<string, BuiltinBackend>> = {
  amp: {
    summary: 'Amp, text',
    verified: false,
    load: () => import('./amp/index.ts'),
  },
  claude: {
    summary: 'Claude Code, streaming JSON',
    verified: true,
    load: () => import('./claude/index.ts'),
  },
  codex: {
    summary: 'Codex CLI, streaming JSON',
    verified: true,
    load: () => import('./codex/index.ts'),
  },
  copilot: {
    summary: 'GitHub Copilot CLI, streaming JSON',
    verified: true,
    load: () => import('./copilot/index.ts'),
  },
  custom: {
    summary: 'any program that takes a prompt and prints an answer',
    verified: true,
    load: () => import('./custom/index.ts'),
  },
  forge: {
    summary: 'Forge, text',
    verified: false,
    load: () => import('./forge/index.ts'),
  },
  gemini: {
    summary: 'Gemini CLI, streaming JSON',
    verified: true,
    load: () => import('./gemini/index.ts'),
  },
  kiro: {
    summary: 'Kiro CLI, text',
    verified: false,
    load: () => import('./kiro/index.ts'),
  },
  mock: {
    summary: 'plays the hats without a model, by itself or by a script',
    verified: true,
    load: () => import('./mock/index.ts'),
  },
  opencode: {
    summary: 'OpenCode, streaming JSON',
    verified: true,
    load: () => import('./opencode/index.ts'),
  },
  pi: {
    summary: 'pi coding agent, streaming JSON',
    verified: true,
    load: () => import('./pi/index.ts'),
  },
  qwen: {
    summary: 'Qwen Code, streaming JSON',
    verified: true,
    load: () => import('./qwen/index.ts'),
  },
  roo: {
    summary: 'Roo Code CLI, text',
    verified: false,
    load: () => import('./roo/index.ts'),
  },
}

/** Names that are accepted by other releases of this kind of program and not by this one yet, and why. */
export const planned: Readonly<Record<string, string>> = {
  'kiro-acp': 'the Agent Client Protocol is not spoken yet',
}
