import { test } from 'bun:test'
import { join } from 'node:path'
import { HAS_PROCESS_TABLE } from '../../../core/agent/processes.ts'
import { until } from '../../helpers/sandbox.ts'

const REAPER = join(import.meta.dir, '../../../cli/world/reaper.ts')

/** A program that starts sleepers, each in a group of its own, tells a reaper of them, and is killed. `act` has them as `groups`. */
async function die(act: string, count: number): Promise<readonly Sleeper[]> {
  const program = `
    import { startReaper } from ${JSON.stringify(REAPER)}
    const reaper = startReaper('run-' + process.pid, process.env)
    const start = (env) => Bun.spawn(['sleep', '300'], { detached: true, stdio: ['ignore', 'ignore', 'ignore'], env }).pid
    const marked = (n) => start({ RALPH_AGENT: 'run-' + process.pid + ':' + n, PATH: process.env.PATH })
    const groups = Array.from({ length: ${count} }, () => start({ PATH: process.env.PATH }))
    ${act}
    await Bun.sleep(0)
    console.log(groups.join(' '))
    await new Promise(() => setInterval(() => {}, 1000))`
  const child = Bun.spawn([process.execPath, '--no-install', '-e', program], {
    stdin: 'ignore',
    stdout: 'pipe',
  })
  const { value } = await child.stdout.getReader().read()
  const pids = new TextDecoder().decode(value).trim().split(' ').map(Number)
  child.kill('SIGKILL')
  await child.exited
  return pids.map((pid) => ({
    isThere: () => isThere(pid),
    [Symbol.dispose]() {
      if (isThere(pid)) process.kill(pid, 'SIGKILL')
    },
  }))
}

interface Sleeper extends Disposable {
  isThere(): boolean
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('groups that are told of together all end with the program, but for those that were forgotten before', async () => {
  const sleepers = await die(
    `reaper.expect(1, 5)
     for (const group of groups) reaper.watch(group)
     await Bun.sleep(0)
     reaper.forget(groups[0]); reaper.forget(groups[2])`,
    5,
  )
  using stack = new DisposableStack()
  for (const sleeper of sleepers) stack.use(sleeper)
  const left = (): string => sleepers.map((one) => (one.isThere() ? 'x' : '.')).join('')
  await until('the end of those that were watched', () => left() === 'x.x..')
})

test('a group that is watched again after it was forgotten ends with the program', async () => {
  const [sleeper] = await die(
    'reaper.expect(1, 1); reaper.watch(groups[0]); reaper.forget(groups[0]); reaper.watch(groups[0])',
    1,
  )
  using _ = sleeper
  await until('its end', () => sleeper?.isThere() === false)
})

test.skipIf(!HAS_PROCESS_TABLE)('agents of the numbers that were expected end, and no other’s', async () => {
  const sleepers = await die(
    `reaper.expect(3, 5); reaper.expect(4, 5); reaper.expect(6, 6)
     groups.push(...[2, 3, 5, 6, 7].map(marked))`,
    0,
  )
  using stack = new DisposableStack()
  for (const sleeper of sleepers) stack.use(sleeper)
  const left = (): string => sleepers.map((one) => (one.isThere() ? 'x' : '.')).join('')
  await until('the end of agents 3, 5 and 6', () => left() === 'x...x')
})
