/** A part of a command line that may be the path of a file. */
export interface NamedFile {
  readonly path: string
  /** From inside a text of several words: it counts only if it can be executed. */
  readonly amongWords: boolean
}

/**
 * What a command line may name as files: its words, the values of `--flag=value`, and the words of a shell's script
 * (`bash -c './agent.sh --fast'`), where prose may stand too.
 */
export function namedFiles(words: readonly string[]): readonly NamedFile[] {
  return words.flatMap((word) => {
    const value = /^-[^=]*=(.*)$/s.exec(word)?.[1]
    const whole = [word, ...(value === undefined ? [] : [value])]
    const parts = word.split(SEPARATORS).filter((part) => part !== word)
    return [
      ...whole.map((path) => ({ path, amongWords: false })),
      ...parts.map((path) => ({ path, amongWords: true })),
    ].filter(({ path }) => path !== '' && !path.includes('\0'))
  })
}

const SEPARATORS = /[\s;&|<>()'"`$=]+/
