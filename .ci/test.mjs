// Runs the tests with the pinned Bun: all that need no download, or those of one group (`real`).
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { loopbackOnly } from './loopback-only.mjs'

const BUN = 'node_modules/bun/bin/bun.exe'
const APART = ['real', 'bench', 'fixtures', 'helpers']
const groups = process.argv.slice(2)
const folders = groups.length > 0 ? groups : readdirSync('tests', { withFileTypes: true }).flatMap(testFolder)
const { before, env, flags } = groups.includes('real') ? realPrograms() : { before: [], env: {}, flags: [] }
const [program, ...words] = [
  ...before,
  BUN,
  'test',
  '--no-install',
  // Most tests wait for processes: two files at once use both cores.
  '--parallel=2',
  ...flags,
  '--timeout',
  '60000',
  ...folders.map((name) => `./tests/${name}`),
]
const { status } = spawnSync(program, words, {
  stdio: 'inherit',
  env: { ...process.env, CLAUDECODE: '1', ...env },
})
process.exit(status ?? 1)

/** They are downloaded first, and then run where there is no network. Each start of one costs seconds of a core. */
function realPrograms() {
  spawnSync(BUN, ['--no-install', 'tests/real/fetch.ts'], { stdio: 'inherit' })
  const flags = ['--max-concurrency', '3']
  const before = loopbackOnly()
  if (before !== null) return { before, env: { RALPH_REAL_OFFLINE: '1' }, flags }
  console.error('no network namespace is to be had here: real programs run with the network that there is')
  return { before: [], env: {}, flags }
}

function testFolder(entry) {
  if (entry.isDirectory()) return APART.includes(entry.name) ? [] : [entry.name]
  return entry.name.endsWith('.test.ts') ? [entry.name] : []
}
