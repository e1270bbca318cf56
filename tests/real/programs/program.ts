/** A real program that our tests run, pinned to a release. */
export interface Program {
  /** As in `-b <name>`. */
  readonly name: string
  /** As in `--model`. */
  readonly model: string
  /** Absolute path, downloaded at the first call. */
  install(): Promise<string>
  /** Makes a home in which it talks to `url` instead of its provider. Answers with the environment that this needs. */
  furnish(home: string, url: string): Record<string, string>
}
