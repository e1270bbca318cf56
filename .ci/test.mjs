// Runs the tests with the pinned Bun: all that need no download, or those of one group (`real`).
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

const APART = ['real', 'bench', 'fixtures', 'helpers']
const groups = process.argv.slice(2)
// Most tests wait for processes: two files at once use both cores. Real programs are heavy, and run alone.
const parallel = groups.includes('real') ? [] : ['--parallel=2']
const folders = groups.length > 0 ? groups : readdirSync('tests', { withFileTypes: true }).flatMap(testFolder)
const { status } = spawnSync(
  'node_modules/bun/bin/bun.exe',
  ['test', '--no-install', ...parallel, '--timeout', '60000', ...folders.map((name) => `./tests/${name}`)],
  { stdio: 'inherit', env: { ...process.env, CLAUDECODE: '1' } },
)
process.exit(status ?? 1)

function testFolder(entry) {
  if (entry.isDirectory()) return APART.includes(entry.name) ? [] : [entry.name]
  return entry.name.endsWith('.test.ts') ? [entry.name] : []
}
