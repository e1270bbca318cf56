/** What must be kept nowhere and shown to nobody, and how to take it out of texts and streams. */
export interface Secrets {
  /** The text with every secret replaced by a note. */
  text(text: string): string
  /** The same of a text whose end was cut off: what may be the beginning of a secret there is left out too. */
  cut(text: string): string
  /** The same of a stream of bytes that comes in pieces: a secret may be split over them. Everything else comes out byte for byte. */
  stream(): RedactedStream<Uint8Array>
  /** The same of a text that comes in pieces. */
  textStream(): RedactedStream<string>
}

export interface RedactedStream<T> {
  /** What can be given away by now. */
  push(chunk: T): T
  /** The rest. */
  end(): T
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

/** What those begin with. */
const BEGINNINGS = [
  'sk-',
  ...[...'pousr'].map((kind) => `gh${kind}_`),
  'github_pat_',
  'glpat-',
  'AIza',
  ...[...'abeoprs'].map((kind) => `xox${kind}-`),
  'AKIA',
  'hf_',
  'npm_',
  'eyJ',
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
  return {
    text: (text) => inText.replace(withoutHalves(text, inText.values)),
    cut: (text) => inText.replace(text.slice(0, safeCut(text, inText))),
    stream: () => redactedStream(inBytes, BYTES),
    textStream: () => redactedStream(inText, TEXT),
  }
}

/** Nothing is secret. */
export const NO_SECRETS: Secrets = {
  text: (text) => text,
  cut: (text) => text,
  stream: () => ({ push: (chunk) => chunk, end: () => new Uint8Array() }),
  textStream: () => ({ push: (chunk) => chunk, end: () => '' }),
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
  readonly values: readonly string[]
  replace(text: string): string
}

function createReplacer(names: ReadonlyMap<string, string>): Replacer {
  // The longest first: one secret may begin with another.
  const values = [...names.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp([...values.map(escaped), ...KNOWN_FORMS].join('|'), 'g')
  return {
    pattern,
    values,
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

function redactedStream<T extends Uint8Array | string>(replacer: Replacer, as: Form<T>): RedactedStream<T> {
  let kept = ''
  return {
    push(chunk) {
      kept += as.text(chunk)
      const cut = safeCut(kept, replacer)
      const safe = replacer.replace(kept.slice(0, cut))
      kept = kept.slice(cut)
      return as.give(safe)
    },
    end() {
      const rest = replacer.replace(kept)
      kept = ''
      return as.give(rest)
    },
  }
}

/** What a stream is made of, as text to look for secrets in. */
interface Form<T> {
  text(chunk: T): string
  give(text: string): T
}

const BYTES: Form<Uint8Array> = {
  text: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'),
  give: (text) => Buffer.from(text, 'latin1'),
}

const TEXT: Form<string> = { text: (chunk) => chunk, give: (text) => text }

/** Without what is left of a value where a text was shortened, which `…` shows. */
function withoutHalves(text: string, values: readonly string[]): string {
  if (!text.includes('…')) return text
  const parts = text.split('…')
  const whole = parts.slice(0, -1).map((part) => {
    const at = beginningOfValue(part, values)
    return part.length - at < MIN_LENGTH ? part : `${part.slice(0, at)}[redacted]`
  })
  return [...whole, ...parts.slice(-1)].join('…')
}

/** How far a text can be given away: no secret reaches over this place, whatever follows. */
function safeCut(text: string, replacer: Replacer): number {
  const cut = Math.min(beginningOfValue(text, replacer.values), beginningOfForm(text))
  for (const { index, 0: found } of text.matchAll(replacer.pattern)) {
    if (index >= cut) break
    if (index + found.length > cut) return index
  }
  return cut
}

/** Where the end of a text may be the beginning of a value; its length where it is none. */
function beginningOfValue(text: string, values: readonly string[]): number {
  const last = text.at(-1)
  let longest = 0
  for (const value of values) {
    for (let n = Math.min(value.length - 1, text.length); n > longest; n--) {
      if (value[n - 1] === last && text.endsWith(value.slice(0, n))) longest = n
    }
  }
  return text.length - longest
}

/** The same of keys of a known form, which may go on for as long as their characters do. */
function beginningOfForm(text: string): number {
  const [run = ''] = /[A-Za-z0-9_.-]*$/.exec(text.slice(-MAX_FORM)) ?? []
  const start = text.length - run.length
  for (const { index } of run.matchAll(/\b\w/g)) {
    const rest = run.slice(index)
    if (BEGINNINGS.some((one) => rest.startsWith(one) || one.startsWith(rest))) return start + index
  }
  return text.length
}
