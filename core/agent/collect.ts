/**
 * Told of lines that agents have printed, and of their bytes, nearly all of which is garbage once it has been read: the
 * runtime's collector would let it grow to several times what is in use, and give back but a part.
 */
export function noteGarbage(lines: number, bytes: number): void {
  since += bytes + lines * PER_LINE
  if (since < ENOUGH) return
  since = 0
  Bun.gc(true)
}

/** What a line leaves beside its text, in bytes: itself, an event, and lists of both. */
const PER_LINE = 200
/** It takes some milliseconds to collect, and a hundred to make so much. Bytes. */
const ENOUGH = 64 * 1024 * 1024

let since = 0
