// Runs the main job on this very repository with the built-in mock backend: real processes, no model, no cost.
// Agents read the files and write nothing; the run's state goes to a temporary folder, `.ralph/` is ignored by Git.
// `node .ci/demo.mjs [BINARY]`
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FILES = ['core/run/decide.ts', 'core/wave/plan.ts', 'core/agent/agent.ts']
const command = [process.argv[2] ?? 'dist/ralph', 'run', '-H', 'builtin:wave-review', '-b', 'mock']
const objective = `Review ${FILES.slice(0, -1).join(', ')} and ${FILES.at(-1)}`

const state = mkdtempSync(join(tmpdir(), 'ralph-demo-'))
try {
  say('A coordinator hands three files of this repository to three reviewers, who work at the same time;')
  say('a synthesizer then wakes once, with all their findings, and writes the report.')
  say(`\n$ ${command.join(' ')} -p '${objective}'\n`)
  const { code, report } = await run([...command, '-p', objective])
  if (code === 0) {
    say('\nWho worked when:\n')
    for (const line of timeline(readLedger())) say(`  ${line}`)
    const lines = report.trimEnd().split('\n').length
    say(`\nStdout held the report and nothing else (${lines} lines), so it can be piped. Next: README.md`)
  }
  process.exitCode = code
} finally {
  for (const id of runs()) rmSync(join('.ralph', 'runs', id), { force: true })
  rmSync(state, { recursive: true, force: true })
}

/** People see stderr as it comes; stdout is kept, since it repeats the report that they have just seen. */
function run([program, ...args]) {
  const env = { ...process.env, RALPH_STATE_DIR: state }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let report = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    report += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, report }))
  })
}

function runs() {
  return existsSync(join(state, 'runs')) ? readdirSync(join(state, 'runs')) : []
}

/** What the mock wrote down of its agents: one entry each, in the order in which the run started them. */
function readLedger() {
  const [id] = runs()
  const rows = readFileSync(join(state, 'runs', id, 'mock-ledger.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  const agents = new Map()
  for (const { event, agent, hats, kind, index, ts } of rows.map((row) => JSON.parse(row))) {
    const name = `${hats.join(', ') || 'coordinator'}${kind === 'worker' ? ` ${index + 1}` : ''}`
    if (event === 'start') agents.set(agent, { name, start: Date.parse(ts), end: Date.parse(ts) })
    else agents.get(agent).end = Date.parse(ts)
  }
  return [...agents].sort(([a], [b]) => a - b).map(([, entry]) => entry)
}

function timeline(agents) {
  const WIDTH = 48
  const from = Math.min(...agents.map(({ start }) => start))
  const to = Math.max(...agents.map(({ end }) => end))
  const column = (time) => Math.round(((time - from) / Math.max(1, to - from)) * WIDTH)
  const widest = Math.max(...agents.map(({ name }) => name.length))
  return agents.map(({ name, start, end }) => {
    const [left, right] = [column(start), Math.max(column(end), column(start) + 1)]
    const bar = `${' '.repeat(left)}${'█'.repeat(right - left)}`.padEnd(WIDTH + 1)
    return `${name.padEnd(widest)}  ${bar}  ${((start - from) / 1000).toFixed(2)} – ${((end - from) / 1000).toFixed(2)} s`
  })
}

function say(text) {
  console.log(text)
}
