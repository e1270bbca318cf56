import { messageOf, RalphError, usageError } from '../../core/errors.ts'
import { formatRecord, formatTime, type RecordFields } from '../../core/events-file/record.ts'
import { readRules, refusal, type WorkerRules } from '../../core/events-file/rules.ts'
import { hasMarker, resolveTarget, type Target } from '../../core/events-file/target.ts'
import { topicFault } from '../../core/topic.ts'
import { TOPIC_REFUSED } from '../../core/wave/guard.ts'
import { type CommandSpec, GLOBAL_FLAGS, type Parsed, parseArguments } from '../arguments.ts'
import type { Command } from '../command.ts'
import { readOfferedStdin, readPayloadFile, readStdin } from '../payload.ts'
import { send } from '../send.ts'
import { signature } from '../signature.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { tick } from '../tick.ts'

const spec = {
  name: 'emit',
  summary: 'Tells the loop what happened: appends one event to the events file',
  examples: [
    "ralph emit review.done --stdin <<'RALPH_EOF'",
    'The whole report; nothing in it is evaluated by the shell.',
    'RALPH_EOF',
    'ralph emit review.done --payload-file report.md',
    'ralph emit build.done ok',
  ],
  positionals: [
    { name: 'TOPIC', required: true, description: 'Topic of the event' },
    {
      name: 'PAYLOAD',
      required: false,
      dashes: true,
      description: 'Payload; `-` is stdin. Without one a pipe or a file on stdin is read',
    },
  ],
  flags: {
    stdin: { type: 'bool', description: 'Read the payload from stdin, to its end' },
    'payload-file': { type: 'one', value: 'FILE', description: 'Read the payload from a file' },
    json: { type: 'bool', short: 'j', description: 'The payload is a JSON value and is stored as such' },
    ts: { type: 'one', value: 'TEXT', description: 'Time of the event', default: 'now' },
    file: {
      type: 'one',
      value: 'PATH',
      description: 'Events file to append to',
      default: 'the file of the run in the workspace, else .ralph/events.jsonl',
    },
    ...GLOBAL_FLAGS,
  },
} as const satisfies CommandSpec

/** `ralph emit` (contract/waves §5.1). Started thousands of times in a run: what it imports decides what it costs. */
export const emit: Command = {
  spec,
  async run(words) {
    const parsed = parseArguments(spec, words)
    const { flags, positionals } = parsed
    const topic = positionals[0] ?? ''
    const fault = topicFault(topic)
    if (fault !== null) throw usageError(fault)
    const text = await readPayload(parsed)
    const payload = text === '' ? null : flags.json ? checkedJson(text) : text

    const target = resolveTarget({ cwd: process.cwd(), env: process.env }, flags.file)
    for (const note of target.notes) writeErr(`Note: ${note}\n`)
    const ts = flags.ts ?? formatTime(new Date())
    const record = { topic, payload, ts, ...signature(process.env, () => hasMarker(target.workspace)) }
    const rules = readRules(target.path)
    if (rules !== null && refusal(rules, topic) !== null) throw refuse(target, rules, record)
    send(target, formatRecord(record))
    writeOut(`${tick(1, flags.color, process.env)}Event emitted: ${topic}\n`)
    return 0
  },
}

/** The payload from its one source, less one last newline unless it is an argument. */
async function readPayload({ flags, positionals, rest }: Parsed<typeof spec>): Promise<string> {
  const argument = positionals[1]
  // A lone dash is stdin; after `--` it is text like any other.
  const dash = argument === '-' && rest.length === 0
  const file = flags['payload-file']
  const sources = [argument !== undefined, flags.stdin, file !== undefined].filter(Boolean)
  if (sources.length > 1) {
    throw usageError('the payload has more than one source', 'Give PAYLOAD, --stdin or --payload-file.')
  }
  if (file !== undefined) return withoutLastNewline(readPayloadFile(file))
  if (flags.stdin || dash) return withoutLastNewline(await readStdin())
  if (argument !== undefined) return argument
  const offered = await readOfferedStdin(() =>
    writeErr('Note: stdin is open but silent, so the event has no payload. --stdin waits for one.\n'),
  )
  return withoutLastNewline(offered ?? '')
}

function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, '')
}

function checkedJson(text: string): { readonly json: string } {
  try {
    JSON.parse(text)
    return { json: text }
  } catch (error) {
    throw new RalphError('bad_json', `Invalid JSON payload: ${messageOf(error)}`)
  }
}

/** Leaves a row that names the topic, so that the attempt shows in the worker's outcome. */
function refuse(target: Target, rules: WorkerRules, record: RecordFields): RalphError {
  send(target, formatRecord({ ...record, topic: TOPIC_REFUSED, payload: record.topic }))
  const allowed =
    rules.allowed.length > 0
      ? `This worker may emit: ${rules.allowed.join(', ')}.`
      : `This worker may emit any topic but ${rules.refused.join(', ')}.`
  return new RalphError('topic_refused', `topic '${record.topic}' is refused for hat '${rules.hat}'`, {
    hint: allowed,
  })
}
