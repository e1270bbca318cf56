import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { sandbox } from '../helpers/sandbox.ts'

const STDOUT = JSON.stringify(resolve(import.meta.dir, '../../cli/stdout.ts'))
const program = (body: string) => `import { writeErr, writeOut } from ${STDOUT}\n${body}`
const bun = `'${process.execPath}' --no-install p.ts`

test('a large text reaches a slow reader whole, though the program exits at once', async () => {
  await using box = sandbox()
  box.write('p.ts', program(`writeOut('🙂'.repeat(1_000_000)); process.exit(0)`))
  expect((await box.sh(`${bun} | { sleep 0.2; wc -c; }`)).stdout.trim()).toBe('4000000')
})

test('a reader that has gone is told once and for all, without an error', async () => {
  await using box = sandbox()
  box.write(
    'p.ts',
    program(`let n = 0; while (writeOut('line\\n')) n++; writeErr('stopped ' + writeOut('more'))`),
  )
  const { stdout, stderr } = await box.sh(`${bun} | head -1; echo "\${PIPESTATUS[0]}"`)
  expect(stdout).toBe('line\n0\n')
  expect(stderr).toBe('stopped false')
})

test.skipIf(process.platform !== 'linux')(
  'a full disk is an error on stdout, and none on stderr',
  async () => {
    await using box = sandbox()
    box.write(
      'p.ts',
      program(
        `writeErr('lost'); try { writeOut('x') } catch (e) { process.exit(e.code === 'ENOSPC' ? 7 : 8) }`,
      ),
    )
    expect((await box.sh(`${bun} >/dev/full 2>/dev/full`)).code).toBe(7)
  },
)

test('a pipe that another process made non-blocking gets everything', async () => {
  await using box = sandbox()
  box.write('p.ts', program(`writeOut('x'.repeat(1_000_000))`))
  const nonBlocking = `perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, fcntl(STDOUT, F_GETFL, 0) | O_NONBLOCK)'`
  expect((await box.sh(`{ ${nonBlocking}; ${bun}; } | { sleep 0.3; wc -c; }`)).stdout.trim()).toBe('1000000')
})
