/** One line as it was cut from a file, its newline included. */
export interface CutLine {
  /** Bytes in the file. */
  readonly length: number
  /** Valid until the next piece is pushed. Shorter than `length` if the line was above the limit. */
  readonly bytes: Uint8Array
}

/** Cuts a stream of bytes into lines. Keeps the unfinished one, up to `limit` bytes. */
export class LineCutter {
  readonly #limit: number
  #pieces: Uint8Array[] = []
  #kept = 0
  #pending = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes of the unfinished line. */
  get pending(): number {
    return this.#pending
  }

  *push(piece: Uint8Array): Generator<CutLine> {
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      yield this.#finish(piece.subarray(start, end + 1))
      start = end + 1
    }
    // A copy: the caller may fill the piece anew.
    if (start < piece.length) this.#keep(Buffer.from(piece.subarray(start)))
  }

  /** The unfinished line, taken as if it were complete; null if there is none. */
  rest(): CutLine | null {
    return this.#pending === 0 ? null : this.#finish(new Uint8Array())
  }

  #finish(end: Uint8Array): CutLine {
    const length = this.#pending + end.length
    if (this.#pending === 0) return { length, bytes: end }
    this.#keep(end)
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#kept = 0
    this.#pending = 0
    return { length, bytes }
  }

  #keep(piece: Uint8Array): void {
    this.#pending += piece.length
    if (this.#kept >= this.#limit) return
    this.#pieces.push(piece)
    this.#kept += piece.length
  }
}

const NEWLINE = 0x0a
