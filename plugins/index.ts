import type { BuiltinBackend } from '../core/backend/registry.ts'

/** The built-in backends. What stands here is known without loading any of them; a test holds it to what they say themselves. */
export const builtins: Readonly<Record<string, BuiltinBackend>> = {
  claude: {
    summary: 'Claude Code, streaming JSON',
    verified: true,
    load: () => import('./claude/index.ts'),
  },
  custom: {
    summary: 'any program that takes a prompt and prints an answer',
    verified: true,
    load: () => import('./custom/index.ts'),
  },
  gemini: {
    summary: 'Gemini CLI, streaming JSON',
    verified: true,
    load: () => import('./gemini/index.ts'),
  },
  mock: {
    summary: 'plays the hats without a model, by itself or by a script',
    verified: true,
    load: () => import('./mock/index.ts'),
  },
}

/** Names that are accepted by other releases of this kind of program and not by this one yet, and why. */
export const planned: Readonly<Record<string, string>> = {
  'kiro-acp': 'the Agent Client Protocol is not spoken yet',
}
