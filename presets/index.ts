import waveResearch from './wave-research.yml' with { type: 'text' }
import waveReview from './wave-review.yml' with { type: 'text' }

/** The hat collections inside the program, as YAML text by name: `-H builtin:<name>`. */
export const builtinPresets: Readonly<Record<string, string>> = {
  'wave-review': waveReview,
  'wave-research': waveResearch,
}
