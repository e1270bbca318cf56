import { RalphError, usageError } from '../../core/errors.ts'
import { formatRecord, formatTime, formatWaveId } from '../../core/events-file/record.ts'
import { hasMarker, type Place, resolveTarget } from '../../core/events-file/target.ts'
import { type Topic, topicFault } from '../../core/topic.ts'
import { NESTED_REFUSED } from '../../core/wave/guard.ts'
import { type CommandSpec, GLOBAL_FLAGS, type Parsed, parseArguments } from '../arguments.ts'
import type { Command } from '../command.ts'
import { itemError, itemFormat, parseItems } from '../items.ts'
import { readMaxWaveItems } from '../max-wave-items.ts'
import { readPayloadFile, readStdin } from '../payload.ts'
import { send } from '../send.ts'
import { type Signature, signature } from '../signature.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { tick } from '../tick.ts'

const spec = {
  name: 'wave emit',
  summary: 'Dispatches a wave: one item for each payload, all worked on at once',
  examples: [
    "ralph wave emit review.file --payloads 'src/a.ts' 'src/b.ts'",
    "ralph wave emit --event security.go='the diff' --event style.go='the diff'",
    "ralph wave emit review.file --jsonl <<'RALPH_EOF'",
    '{"payload": "One item a line, with any text in it."}',
    'RALPH_EOF',
  ],
  positionals: [
    { name: 'TOPIC', required: false, description: 'Topic of all items that have none of their own' },
  ],
  rest: { name: 'PAYLOAD…', description: 'More payloads, whatever they begin with' },
  flags: {
    payloads: { type: 'variadic', value: 'PAYLOAD', description: 'One item for each word', group: 'Items' },
    event: {
      type: 'many',
      value: 'TOPIC=PAYLOAD',
      description: 'One item with its own topic',
      group: 'Items',
    },
    stdin: { type: 'bool', description: 'Read items from stdin, one per line', group: 'Items' },
    'payloads-file': { type: 'one', value: 'FILE', description: 'Read items from a file', group: 'Items' },
    nul: { type: 'bool', short: '0', description: 'What is read is separated by NULs', group: 'Items' },
    jsonl: {
      type: 'bool',
      description: 'What is read has one object per line, {"topic"?, "payload"}',
      group: 'Items',
    },
    ...GLOBAL_FLAGS,
  },
} as const satisfies CommandSpec

/** `ralph wave emit` (contract/waves §5.2). The order of its checks is part of the contract. */
export const waveEmit: Command = {
  spec,
  async run(words) {
    const parsed = parseArguments(spec, words)
    const place: Place = { cwd: process.cwd(), env: process.env }
    const [topic] = parsed.positionals
    const typed = typedItems(parsed, topic)
    checkGrammar(parsed, topic, typed)
    if (place.env.RALPH_WAVE_WORKER) throw refuseNested(place, topic ?? typed[0]?.topic ?? null)

    const items = [...typed, ...(await listedItems(parsed.flags, topic))]
    if (items.length === 0)
      throw new RalphError('no_payload', 'at least one payload is required', {
        hint: 'one for each item: --payloads A B, or one a line with --stdin',
      })
    const target = resolveTarget(place)
    const limit = await readMaxWaveItems(place, target.workspace, parsed.flags.config)
    if (items.length > limit) {
      throw new RalphError(
        'too_many_items',
        `${items.length} payloads are more than the ${limit} that features.max_wave_items allows`,
      )
    }
    for (const note of target.notes) writeErr(`Note: ${note}\n`)
    const id = newWaveId()
    const { ts, agent } = stamp(place, target.workspace)
    const lines = items.map(({ topic, payload }, index) => {
      const wave = { id, index, total: items.length }
      return formatRecord({ topic, payload, ts, ...(agent === undefined ? {} : { agent }), wave })
    })
    send(target, lines.join(''))
    writeOut(`${id}\n`)
    writeErr(`${tick(2, parsed.flags.color, place.env)}${announce(id, items)}\n`)
    return 0
  },
}

interface Item {
  readonly topic: Topic
  readonly payload: string
}

/** Items of the command line, in its order. */
function typedItems({ given, rest }: Parsed<typeof spec>, topic: Topic | undefined): readonly Item[] {
  const items: Item[] = []
  for (const { flag, value } of given) {
    if (flag === 'payloads') items.push({ topic: required(topic), payload: value })
    if (flag === 'event') items.push(splitEvent(value))
  }
  return [...items, ...rest.map((payload) => ({ topic: required(topic), payload }))]
}

function splitEvent(value: string): Item {
  const equals = value.indexOf('=')
  if (equals < 0) throw usageError(`--event is TOPIC=PAYLOAD, not '${value}'`)
  const topic = value.slice(0, equals)
  const fault = topicFault(topic)
  if (fault !== null) throw usageError(`--event ${value}: ${fault}`)
  return { topic, payload: value.slice(equals + 1) }
}

/** Throws a usage error for what is wrong with the command line whatever will be read. */
function checkGrammar(
  { flags }: Parsed<typeof spec>,
  topic: Topic | undefined,
  typed: readonly Item[],
): void {
  if (flags.nul && flags.jsonl) throw usageError('-0 and --jsonl exclude each other')
  if (flags.stdin && flags['payloads-file'] !== undefined) {
    throw usageError('--stdin and --payloads-file exclude each other')
  }
  const fault = topic === undefined ? null : topicFault(topic)
  if (fault !== null) throw usageError(fault)
  if (readsList(flags) ? !flags.jsonl : typed.length === 0) required(topic)
}

function required(topic: Topic | undefined): Topic {
  if (topic !== undefined) return topic
  throw usageError(
    'TOPIC is missing',
    'Write ralph wave emit TOPIC --payloads …, or --event TOPIC=PAYLOAD for each item.',
  )
}

type Flags = Parsed<typeof spec>['flags']

function readsList(flags: Flags): boolean {
  return flags.stdin || flags.nul || flags.jsonl || flags['payloads-file'] !== undefined
}

/** Items of a file or of stdin. */
async function listedItems(flags: Flags, topic: Topic | undefined): Promise<readonly Item[]> {
  if (!readsList(flags)) return []
  const file = flags['payloads-file']
  const text = file === undefined ? await readStdin() : readPayloadFile(file)
  return parseItems(text, itemFormat(flags)).map((item) => {
    const fault = item.topic === undefined ? null : topicFault(item.topic)
    if (fault !== null) throw itemError(item.line, fault)
    return { topic: item.topic ?? required(topic), payload: item.payload }
  })
}

/** A worker dispatches no waves. Where its events file is known, a row there tells of the attempt. */
function refuseNested(place: Place, topic: Topic | null): RalphError {
  if (place.env.RALPH_EVENTS_FILE) {
    const target = resolveTarget(place)
    send(target, formatRecord({ topic: NESTED_REFUSED, payload: topic, ...stamp(place, target.workspace) }))
  }
  return new RalphError('nested_wave', 'a wave worker cannot dispatch waves', {
    hint: 'Do your own item, and report its result with `ralph emit`.',
  })
}

function stamp(place: Place, workspace: string): Signature & { readonly ts: string } {
  return { ts: formatTime(new Date()), ...signature(place.env, () => hasMarker(workspace)) }
}

function newWaveId(): string {
  // Wall-clock milliseconds, made finer by a clock that only counts: together they tell apart what one process makes.
  const nanoseconds = BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n)
  return formatWaveId(nanoseconds, process.pid, 0)
}

function announce(id: string, items: readonly Item[]): string {
  const topics = [...new Set(items.map(({ topic }) => `'${topic}'`))]
  const on = topics.length === 1 ? 'topic' : 'topics'
  return `Wave dispatched: ${items.length} events on ${on} ${topics.join(', ')} (wave ${id})`
}
