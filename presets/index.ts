import autoresearch from './autoresearch.yml' with { type: 'text' }
import codeAssist from './code-assist.yml' with { type: 'text' }
import debug from './debug.yml' with { type: 'text' }
import hatlessBaseline from './hatless-baseline.yml' with { type: 'text' }
import pddToCodeAssist from './pdd-to-code-assist.yml' with { type: 'text' }
import research from './research.yml' with { type: 'text' }
import review from './review.yml' with { type: 'text' }
import waveDebate from './wave-debate.yml' with { type: 'text' }
import waveDebug from './wave-debug.yml' with { type: 'text' }
import waveResearch from './wave-research.yml' with { type: 'text' }
import waveReview from './wave-review.yml' with { type: 'text' }
import waveReviewAndDocument from './wave-review-and-document.yml' with { type: 'text' }

/** The hat collections inside the program, as YAML text by name: `-H builtin:<name>`. In the order of `ralph presets`. */
export const builtinPresets: Readonly<Record<string, string>> = {
  'wave-review': waveReview,
  'wave-research': waveResearch,
  'wave-debate': waveDebate,
  'wave-debug': waveDebug,
  'wave-review-and-document': waveReviewAndDocument,
  'code-assist': codeAssist,
  debug,
  research,
  review,
  autoresearch,
  'pdd-to-code-assist': pddToCodeAssist,
  'hatless-baseline': hatlessBaseline,
}

/** Those that `ralph presets` shows only when it is asked for all: tools to compare with, not to work with. */
export const hiddenPresets: ReadonlySet<string> = new Set(['hatless-baseline'])
