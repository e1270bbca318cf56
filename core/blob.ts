/** A text that may be large: short ones stand inline, long ones lie in a file of the run's folder. */
export type Blob =
  | { readonly inline: string }
  | { readonly path: string; readonly bytes: number; readonly sha256: string }

/** Texts above this many UTF-8 bytes are kept by path (chosen: a journal line stays readable). */
export const INLINE_BYTES = 16_384

/** Gives the whole text of a blob. The shell provides it, so that prompts and merges stay pure. */
export type ReadBlob = (blob: Blob) => string

/** An inline blob, for texts that are known to be short. */
export function inline(text: string): Blob {
  return { inline: text }
}

/** Size in UTF-8 bytes. */
export function blobBytes(blob: Blob): number {
  return 'inline' in blob ? Buffer.byteLength(blob.inline) : blob.bytes
}

/** Equal for blobs of the same text; both sides must have been stored by the same rule (inline or by path). */
export function blobKey(blob: Blob): string {
  return 'inline' in blob ? `t:${blob.inline}` : `h:${blob.sha256}`
}
