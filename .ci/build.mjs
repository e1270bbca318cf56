// Compiles dist/ralph. Why each flag is there: docs/building.md.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
mkdirSync('dist', { recursive: true })
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
    'cli/main.ts',
    '--outfile',
    'dist/ralph',
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)
// Traces stay readable without the maps beside the binary.
for (const name of readdirSync('dist')) if (name.endsWith('.map')) rmSync(`dist/${name}`)
