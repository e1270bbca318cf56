/** The secret of every program here: nothing that a run writes may hold it. */
export const KEY = 'sk-scripted-0123456789abcdef'

/** A real program that our tests run, pinned to a release. */
export interface Program {
  /** As in `-b <name>`. */
  readonly name: string
  /** As in `--model`. */
  readonly model: string
  /** The HTTP status by which its provider says that it is overloaded. */
  readonly overloaded: number
  /** USD that the program itself counts for one answer of our model server; null: it tells no cost. */
  readonly usdAnAnswer: number | null
  /** Absolute path, downloaded at the first call. */
  install(): Promise<string>
  /** Makes a home in which it talks to `url` instead of its provider. Answers with the environment that this needs. */
  furnish(home: string, url: string): Record<string, string>
}
