/** What must be kept nowhere and shown to nobody, and how to take it out of texts and streams. */
export interface Secrets {
  /** The text with every secret replaced by a note. */
  text(text: string): string
  /** The same of a stream of bytes that comes in pieces: a secret may be split over them. Everything else comes out byte for byte. */
  stream(): RedactedStream
}

export interface RedactedStream {
  /** The bytes that can be given away by now. */
  push(chunk: Uint8Array): Uint8Array
  /** The rest. */
  end(): Uint8Array
}

/** Variables whose values are secret, by their name. */
const SECRET_NAME =
  /(^|_)(API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i

/** Shorter values are words of any text. */
const MIN_LENGTH = 8

/** Keys that tell what they are by their form. */
const KNOWN_FORMS = [
  String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
  String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
  String.raw`\bgithub_pat_[A-Za-z0-9_]{20,}`,
  String.raw`\bglpat-[A-Za-z0-9_-]{16,}`,
  String.raw`\bAIza[A-Za-z0-9_-]{30,}`,
  String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`\bAKIA[A-Z0-9]{16}\b`,
  String.raw`\bhf_[A-Za-z0-9]{20,}`,
  String.raw`\bnpm_[A-Za-z0-9]{30,}`,
  String.raw`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
]

/** Collects the secrets of an environment; keys of a known form are secret wherever they come from. */
export function collectSecrets(env: Readonly<Record<string, string | undefined>>): Secrets {
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.length < MIN_LENGTH || !SECRET_NAME.test(name)) continue
    // As it stands, and as it stands in JSON.
    for (const form of [value, JSON.stringify(value).slice(1, -1)])
      if (!names.has(form)) names.set(form, name)
  }
  const inText = createReplacer(names)
  const inBytes = createReplacer(new Map([...names].map(([value, name]) => [bytesOf(value), name])))
  return { text: (text) => inText.replace(text), stream: () => redactedStream(inBytes) }
}

/** Nothing is secret. */
export const NO_SECRETS: Secrets = {
  text: (text) => text,
  stream: () => ({ push: (chunk) => chunk, end: () => new Uint8Array() }),
}

/** The same value with every text in it redacted: settings, events. */
export function redactDeep<T>(value: T, secrets: Secrets): T {
  return redacted(value, secrets) as T
}

function redacted(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return secrets.text(value)
  if (Array.isArray(value)) return value.map((one) => redacted(one, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redacted(one, secrets)]))
}

interface Replacer {
  readonly pattern: RegExp
  /** Length of the longest value. */
  readonly longest: number
  readonly spansLines: boolean
  replace(text: string): string
}

function createReplacer(names: ReadonlyMap<string, string>): Replacer {
  // The longest first: one secret may begin with another.
  const values = [...names.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp([...values.map(escaped), ...KNOWN_FORMS].join('|'), 'g')
  return {
    pattern,
    longest: values[0]?.length ?? 0,
    spansLines: values.some((value) => value.includes('\n')),
    replace: (text) =>
      text.replace(pattern, (found) => {
        const name = names.get(found)
        return name === undefined ? '[redacted]' : `[redacted ${name}]`
      }),
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** One character a byte, so that no byte is changed that is not part of a secret. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A key of a known form is no longer than this; of a longer one the end is given away. */
const MAX_FORM = 8192

function redactedStream(replacer: Replacer): RedactedStream {
  let kept = ''
  return {
    push(chunk) {
      kept += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
      const cut = safeCut(kept, replacer)
      const safe = replacer.replace(kept.slice(0, cut))
      kept = kept.slice(cut)
      return Buffer.from(safe, 'latin1')
    },
    end() {
      const rest = replacer.replace(kept)
      kept = ''
      return Buffer.from(rest, 'latin1')
    },
  }
}

/** How far a text can be given away: no secret reaches over this place, whatever follows. */
function safeCut(text: string, replacer: Replacer): number {
  if (text.endsWith('\n') && !replacer.spansLines) return text.length
  const lineStart = replacer.spansLines ? 0 : text.lastIndexOf('\n') + 1
  let cut = Math.max(lineStart, text.length - Math.max(replacer.longest - 1, 0))
  // A form may go on for as long as its characters do.
  const earliest = Math.max(lineStart, text.length - MAX_FORM)
  while (cut > earliest && FORM_CHARACTER.test(text[cut - 1] ?? '')) cut--
  for (const { index, 0: found } of text.matchAll(replacer.pattern)) {
    if (index >= cut) break
    if (index + found.length > cut) return index
  }
  return cut
}

const FORM_CHARACTER = /[A-Za-z0-9_.-]/
