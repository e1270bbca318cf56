// Makes a fresh clone ready with nothing but Node and npm: installs the locked packages, then the pinned Bun.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'

const lock = 'package-lock.json'
const stamp = 'node_modules/.ralph-setup'
const bun = 'node_modules/bun/bin/bun.exe'

const lockText = readFileSync(lock, 'utf8')
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockText || isStub(bun)) {
  // Install scripts are off: the one that matters is Bun's, and it is run below, where its failure is seen.
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (isStub(bun))
    execFileSync(process.execPath, ['install.js'], { cwd: 'node_modules/bun', stdio: 'inherit' })
  if (isStub(bun)) throw new Error(`${bun} is still the placeholder: Bun's binary package is missing`)
  writeFileSync(stamp, lockText)
}

function isStub(path) {
  return !existsSync(path) || statSync(path).size < 1_000_000
}
