// Compiles dist/ralph, or the file that is named first, from the entry that is named second.
// Why each flag is there: docs/building.md.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const [outfile = 'dist/ralph', entry = 'cli/main.ts'] = process.argv.slice(2)
const folder = dirname(outfile)
mkdirSync(folder, { recursive: true })
execFileSync(
  'node_modules/bun/bin/bun.exe',
  [
    'build',
    '--compile',
    '--splitting',
    '--minify',
    '--bytecode',
    '--format=esm',
    '--sourcemap',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--compile-autoload-package-json',
    '--define',
    `RALPH_VERSION=${JSON.stringify(version)}`,
    entry,
    '--outfile',
    outfile,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)
// Traces stay readable without the maps beside the binary.
for (const name of readdirSync(folder)) if (name.endsWith('.map')) rmSync(join(folder, name))
