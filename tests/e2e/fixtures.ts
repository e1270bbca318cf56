import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Finished, RunOptions, Sandbox } from '../helpers/sandbox.ts'

/** A configuration, or a part of one that is merged into a fixture. */
export interface Config {
  readonly [key: string]: unknown
}

/** The plain loop: a program that gets its prompt on stdin and talks text. */
export const F = (more: Config = {}): Config =>
  merge({ cli: { backend: 'custom', command: './agent.sh', prompt_mode: 'stdin' } }, more)

/** A chain of two hats: `a` (work.start → b.go) and `b` (b.go → LOOP_COMPLETE). */
export const FC = (more: Config = {}): Config =>
  F(
    merge(
      {
        event_loop: { starting_event: 'work.start' },
        hats: {
          a: hat('a', { triggers: ['work.start'], publishes: ['b.go'] }),
          b: hat('b', { triggers: ['b.go'], publishes: ['LOOP_COMPLETE'] }),
        },
      },
      more,
    ),
  )

/** A wave: `disp` (work.start → item.go), `work` (item.go → item.done, three at once), `agg` (item.done → LOOP_COMPLETE). */
export const FW = (more: Config = {}): Config =>
  F(
    merge(
      {
        event_loop: { starting_event: 'work.start' },
        hats: {
          disp: hat('disp', { triggers: ['work.start'], publishes: ['item.go'] }),
          work: hat('work', { triggers: ['item.go'], publishes: ['item.done'], concurrency: 3 }),
          agg: AGG,
        },
      },
      more,
    ),
  )

/** Scatter and gather: `disp` publishes to four hats `h1` … `h4` of concurrency 1, which feed `agg`. */
export const FS = (more: Config = {}): Config => {
  const topics = [1, 2, 3, 4].map((n) => `h${n}.go`)
  const hats = topics.map((topic, i) => [
    `h${i + 1}`,
    hat(`h${i + 1}`, { triggers: [topic], publishes: ['item.done'] }),
  ])
  return F(
    merge(
      {
        event_loop: { starting_event: 'work.start' },
        hats: {
          disp: hat('disp', { triggers: ['work.start'], publishes: topics }),
          ...Object.fromEntries(hats),
          agg: AGG,
        },
      },
      more,
    ),
  )
}

/** The plain loop on a fake `claude`, which reports 0.5 USD a start: see `claudeScript`. */
export const FP = (more: Config = {}): Config =>
  merge({ cli: { backend: 'claude', command: './fake-claude.sh' } }, more)

/** A fixture whose agents are played by the mock, from the script `m.yml`. */
export const onMock = (config: Config): Config =>
  merge(config, { cli: { backend: 'mock' }, adapters: { mock: { script: 'm.yml' } } })

/** A hat whose instructions tell its id: by that the scripts know which part they play. */
export const hat = (id: string, more: Config = {}): Config => ({
  name: id,
  description: `what ${id} does`,
  instructions: `You are hat ${id}.`,
  ...more,
})

const AGG = hat('agg', {
  triggers: ['item.done'],
  publishes: ['LOOP_COMPLETE'],
  aggregate: { mode: 'wait_for_all' },
})

/** Writes a configuration, as JSON: that is YAML too. */
export function configure(box: Sandbox, config: Config, path = 'ralph.yml'): void {
  box.write(path, JSON.stringify(config, null, 2))
}

/** `ralph run -p X`, with more arguments. */
export const run = (box: Sandbox, args: readonly string[] = [], options?: RunOptions): Promise<Finished> =>
  box.ralph(['run', '-p', 'X', ...args], options)

/**
 * What agents do, in bash: always the same, or for the first start, the second, … (starts beyond the list say the promise).
 * The words are `EMIT topic [payload]`, `WAVE topic payload…`, `SAY text`, `BAD`, `LINE text` (a line of the events file
 * as it is) and `HANG`. `$PROMPT` is the file of the prompt, `$START` the number of the start.
 */
export type Script = string | readonly string[]

/** A program that plays `script` by start. The prompt of start k is `prompt(box, k)`. */
export function agentScript(box: Sandbox, script: Script, path = 'agent.sh'): void {
  box.script(path, program(box, TEXT_WORDS, parts(box, path, { [ANY]: script })))
}

/** A fake `claude`: as `agentScript`, but SAY is an assistant message, and the end is a `result` with `RESULT`'s fields. */
export function claudeScript(box: Sandbox, script: Script | Roles, path = 'fake-claude.sh'): void {
  const roles = isScript(script) ? { [ANY]: script } : { ...DEFAULT_ROLES, ...script }
  box.script(path, program(box, CLAUDE_WORDS, parts(box, path, roles)))
}

/** Plays every hat. */
const ANY = '_any'

/** By hat id (`ralph` is the coordinator), the script for each of its own starts; for `work` (and other workers) also by the index of the item. */
export interface Roles {
  readonly [hat: string]: Script | ByIndex
}

/** What the worker with each index does, and `else` all others. */
export interface ByIndex {
  readonly [index: number]: string
  readonly else?: string
}

/** D, W and G of the wave fixtures. */
const DEFAULT_ROLES: Roles = {
  disp: 'WAVE item.go a b c',
  work: 'EMIT item.done "r$RALPH_WAVE_INDEX"',
  agg: 'EMIT LOOP_COMPLETE ok',
}

/** A program that plays each hat by its own script. D, W and G are the defaults of `disp`, `work` and `agg`. */
export function roleScript(box: Sandbox, roles: Roles = {}, path = 'agent.sh'): void {
  box.script(path, program(box, TEXT_WORDS, parts(box, path, { ...DEFAULT_ROLES, ...roles })))
}

/** How many agents have been started. */
export const starts = (box: Sandbox): number =>
  existsSync(notes(box)) ? readdirSync(notes(box)).filter((name) => /^start-\d+$/.test(name)).length : 0

/** The prompt of start k. */
export const prompt = (box: Sandbox, k: number): string =>
  readFileSync(join(notes(box), `prompt-${k}`), 'utf8')

/** The hats that were played, in the order of their starts: `work:0` is a worker with its index. */
export const played = (box: Sandbox): string[] =>
  Array.from({ length: starts(box) }, (_, i) =>
    readFileSync(join(notes(box), `start-${i + 1}`), 'utf8').trim(),
  )

/** The id of the last run. */
export const runId = (box: Sandbox): string => box.read('.ralph/current-loop-id').trim()

/** The events file of the last run, relative to the workspace. */
export const main = (box: Sandbox): string => box.read('.ralph/current-events').trim()

/** Its rows, bad lines left out; those of one topic. */
export const rows = (box: Sandbox, topic?: string): Record<string, unknown>[] =>
  box
    .read(main(box))
    .split('\n')
    .flatMap(parseRow)
    .filter((row) => topic === undefined || row.topic === topic)

function parseRow(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** Rows that are not the loop's own. */
export const agentRows = (box: Sandbox): Record<string, unknown>[] =>
  rows(box).filter((row) => row.hat !== 'loop')

/** Why the last run ended, by its last row. */
export const reason = (box: Sandbox): string =>
  /## Reason\n(\w+)/.exec(String(rows(box, 'loop.terminate').at(-1)?.payload))?.[1] ?? ''

/** A file of the last run's folder, relative to the workspace. */
export const rundir = (box: Sandbox, ...path: string[]): string => join('.ralph', 'runs', runId(box), ...path)

/** The run events of `run --json`. */
export const runEvents = (done: Finished): Record<string, unknown>[] =>
  done.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Where scripts keep what they know: outside the workspace, which stays as the case has it. */
function notes(box: Sandbox): string {
  return join(dirname(box.home), 'agent')
}

/** Writes the scripts of a program and returns their folder. */
function parts(box: Sandbox, path: string, roles: Roles): string {
  const dir = join(notes(box), path.replaceAll('/', '_'))
  mkdirSync(dir, { recursive: true })
  for (const [role, script] of Object.entries(roles)) {
    for (const [key, text] of Object.entries(
      typeof script === 'string' ? { else: script } : Array.isArray(script) ? byStart(script) : script,
    )) {
      writeFileSync(join(dir, `${role}@${key}`), `${text}\n`)
    }
  }
  return dir
}

const byStart = (script: readonly string[]): Record<string, string> =>
  Object.fromEntries([...script.map((text, i) => [`${i + 1}`, text]), ['else', 'SAY LOOP_COMPLETE']])

const isScript = (script: Script | Roles): script is Script =>
  typeof script === 'string' || Array.isArray(script)

/** A part is told by its prompt, or its rules file where the instructions are not `hat`'s own. Numbers are claimed by creating their file. */
const program = (box: Sandbox, words: string, dir: string): string => `#!/bin/bash
NOTES='${notes(box)}'
set -C; START=1; until { : > "$NOTES/start-$START"; } 2>/dev/null; do START=$((START + 1)); done; set +C
PROMPT="$NOTES/prompt-$START"
cat > "$PROMPT"
HAT=$(sed -n 's/^## ACTIVE HAT: .*(\`\\(.*\\)\`)$/\\1/p; s/^You are hat \\(.*\\)\\.$/\\1/p' "$PROMPT" | head -1)
[ -n "$RALPH_WAVE_WORKER" ] && HAT=\${HAT:-$(sed -n 's/.*"hat":"\\([^"]*\\)".*/\\1/p' "\${RALPH_EVENTS_FILE%.jsonl}.rules.json" 2>/dev/null)}
HAT=\${HAT:-ralph} PART=${ANY} NTH=$START
if compgen -G '${dir}/'"$HAT@*" > /dev/null; then
  PART=$HAT NTH=1
  set -C; until { : > "$NOTES/turn-$HAT-$NTH"; } 2>/dev/null; do NTH=$((NTH + 1)); done; set +C
fi
[ -n "$RALPH_WAVE_WORKER" ] && NTH=$RALPH_WAVE_INDEX
echo "$HAT\${RALPH_WAVE_WORKER:+:$RALPH_WAVE_INDEX}" >| "$NOTES/start-$START"
EMIT() { "$RALPH_BIN" emit "$@" < /dev/null > /dev/null; }
WAVE() { local topic=$1; shift; "$RALPH_BIN" wave emit "$topic" --payloads "$@" < /dev/null > /dev/null; }
LINE() { printf '%s\\n' "$1" >> "$RALPH_EVENTS_FILE"; }
BAD() { LINE '{oops'; }
HANG() { exec sleep 300; }
${words}
for part in "$PART@$NTH" "$PART@else"; do
  if [ -e '${dir}/'"$part" ]; then . '${dir}/'"$part"; break; fi
done
`

const TEXT_WORDS = `SAY() { printf '%s\\n' "$1"; }`

const CLAUDE_WORDS = `RESULT='"total_cost_usd":0.5,"num_turns":1,"usage":{"input_tokens":10,"output_tokens":5}'
SAY() { local text=\${1//\\\\/\\\\\\\\}; text=\${text//\\"/\\\\\\"}; text=\${text//$'\\n'/\\\\n}
  printf '{"type":"assistant","message":{"id":"m%s","content":[{"type":"text","text":"%s"}]}}\\n' "$RANDOM" "$text"; }
trap 'printf "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"is_error\\":false,%s}\\\\n" "$RESULT"' EXIT`

function merge(base: Config, more: Config): Config {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(more)) {
    const old = merged[key]
    merged[key] = isConfig(old) && isConfig(value) ? merge(old, value) : value
  }
  return merged
}

function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
