import { describe, expect, test } from 'bun:test'
import { leaders } from '../../../core/agent/leaders.ts'
import {
  bootId,
  commandOf,
  currentProcesses,
  HAS_PROCESS_TABLE,
  isAlive,
  nextProcesses,
  readProcesses,
  startTimeOf,
} from '../../../core/agent/processes.ts'
import { until } from '../../helpers/sandbox.ts'
import { FIXTURES, newMarker } from './rig.ts'

/** A process tree in a group of its own, killed when it is disposed. */
async function start(argv: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...argv], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdin: 'ignore',
    stderr: 'ignore',
    detached: true,
  })
  return {
    pid: child.pid,
    stdout: child.stdout,
    async [Symbol.asyncDispose]() {
      process.kill(-child.pid, 'SIGKILL')
      await child.exited
    },
  }
}

/** Asked without a look at all processes. */
function leadsGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stream.getReader().read()
  return Buffer.from(value ?? [])
    .toString()
    .trim()
}

describe.skipIf(!HAS_PROCESS_TABLE)('the process table', () => {
  test('knows parent, group and start of a process', async () => {
    await using tree = await start([`${FIXTURES}/forks-grandchild.sh`])
    const child = Number((await firstLine(tree.stdout)).split(' ')[1])
    const table = readProcesses()
    expect(table.get(child)).toMatchObject({ pid: child, ppid: tree.pid, pgid: tree.pid })
    expect(
      table
        .group(tree.pid)
        .map((one) => one.pid)
        .toSorted(),
    ).toEqual([tree.pid, child].toSorted())
    expect(table.descendants(tree.pid).map((one) => one.pid)).toEqual([child])
    expect(table.descendants(process.pid).map((one) => one.pid)).toContain(child)
    expect(table.get(tree.pid)?.startTime).toBe(startTimeOf(tree.pid))
  })

  test('finds markers as a whole: what begins alike is another', async () => {
    const marker = newMarker()
    await using one = await start(['sleep', '300'], { RALPH_AGENT: marker })
    await using twelve = await start(['sleep', '300'], { RALPH_AGENT: `${marker}2` })
    await using other = await start(['sleep', '300'], { NOT_RALPH_AGENT: marker, X: `RALPH_AGENT=${marker}` })
    const pids = (...markers: string[]) =>
      readProcesses()
        .marked(new Set(markers))
        .map(({ pid }) => pid)
        .toSorted()
    expect(pids(marker)).toEqual([one.pid])
    expect(pids(`${marker}2`)).toEqual([twelve.pid])
    expect(pids(marker, `${marker}2`)).toEqual([one.pid, twelve.pid].toSorted())
    expect(pids(`${marker}3`)).toEqual([])
    expect(isAlive({ pid: other.pid, startTime: startTimeOf(other.pid) })).toBe(true)
  })

  test('does not read strangers again and again, but agents’ processes, whoever their parent is now', async () => {
    const marker = newMarker()
    // Neither has us as an ancestor: their parent is gone.
    const script = 'setsid sleep 300 >&2 & RALPH_AGENT=$1 setsid sleep 300 >&2 & echo $(jobs -p)'
    const shell = Bun.spawn(['bash', '-c', script, 'bash', marker], {
      env: { PATH: '/usr/bin:/bin' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const [foreign = 0, own = 0] = (await shell.stdout.text()).trim().split(' ').map(Number)
    await shell.exited
    await using _ = {
      async [Symbol.asyncDispose]() {
        for (const pid of [own, foreign]) process.kill(pid, 'SIGKILL')
      },
    }
    const leaders = () => {
      const table = readProcesses()
      return [table.get(foreign), table.get(own)].map((one) => (one?.pid === one?.pgid ? one : undefined))
    }
    await until('both to lead groups of their own', () =>
      leaders().every((one) => one?.ppid !== shell.pid && one),
    )
    const [foreignOnce, ownOnce] = leaders()
    const [foreignTwice, ownTwice] = leaders()
    expect(foreignTwice).toBe(foreignOnce)
    expect([ownTwice?.pid, ownTwice?.startTime]).toEqual([own, ownOnce?.startTime])
    expect(ownTwice).not.toBe(ownOnce)
    expect(
      readProcesses()
        .marked(new Set([marker]))
        .map(({ pid }) => pid),
    ).toEqual([own])
  })

  test('a stranger is not read again for as long as it lives, and its number is not mistaken for it', async () => {
    // Its parent is gone, and it leads a group of its own.
    const shell = Bun.spawn(['bash', '-c', 'setsid sleep 300 >&2 & echo $!'], {
      env: { PATH: '/usr/bin:/bin' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const pid = Number((await shell.stdout.text()).trim())
    await shell.exited
    const look = () => readProcesses().get(pid)
    try {
      await until('it to lead a group of its own', () => leadsGroup(pid))
      const once = look()
      expect(once?.pgid).toBe(pid)
      await Bun.sleep(1100)
      expect(look()).toBe(once)
      await Bun.sleep(1100)
      expect(look()).toBe(once)
    } finally {
      process.kill(pid, 'SIGKILL')
    }
    await until('it to be gone', () => look() === undefined)
  })

  test('what agents leave behind is looked for among all but the agents that run', async () => {
    const marker = newMarker()
    await using tree = await start(['bash', '-c', 'sleep 300 & echo up; wait'], { RALPH_AGENT: marker })
    await firstLine(tree.stdout)
    const found = (scope: 'all' | 'others') =>
      readProcesses(scope)
        .marked(new Set([marker]))
        .map(({ pid }) => pid)
    const [child = 0] = found('all').filter((pid) => pid !== tree.pid)
    leaders.add(tree.pid)
    try {
      expect(found('others')).toEqual([child])
      expect(found('all').toSorted()).toEqual([tree.pid, child].toSorted())
      // Its child is none of the strangers that are read once only.
      expect(readProcesses('others').get(child)).not.toBe(readProcesses('others').get(child))
    } finally {
      leaders.delete(tree.pid)
    }
    expect(found('others').toSorted()).toEqual([tree.pid, child].toSorted())
  })

  test('a zombie counts as gone', async () => {
    await using tree = await start([`${FIXTURES}/leaves-zombie.sh`])
    const zombie = Number((await firstLine(tree.stdout)).split(' ')[1])
    await until('the child to end', () => readProcesses().get(zombie) === undefined)
    const startTime = startTimeOf(zombie)
    expect(startTime).not.toBe('')
    expect(isAlive({ pid: zombie, startTime })).toBe(false)
    expect(
      readProcesses()
        .group(tree.pid)
        .map((one) => one.pid),
    ).toEqual([tree.pid])
  })

  test('another process with the same pid is not the same', async () => {
    await using one = await start(['sleep', '300'])
    expect(isAlive({ pid: one.pid, startTime: startTimeOf(one.pid) })).toBe(true)
    expect(isAlive({ pid: one.pid, startTime: '1' })).toBe(false)
  })

  test('CPU time of a tree grows while a descendant computes', async () => {
    await using tree = await start(['bash', '-c', `${FIXTURES}/burns-cpu.sh 20 & wait`])
    const before = readProcesses().cpuTicks(tree.pid)
    await until('CPU time', () => readProcesses().cpuTicks(tree.pid) > before + 5)
  })

  test('a command line stands on one line and is shortened', async () => {
    await using one = await start(['bash', '-c', `sleep 300\n: ${'x'.repeat(500)}`])
    const command = await until('the program', () => {
      const text = commandOf(one.pid)
      return text.startsWith('bash') && text
    })
    expect(command).toStartWith('bash -c sleep 300 : xxx')
    expect(command.length).toBe(120)
    expect(command.endsWith('…')).toBe(true)
  })

  test('looks are shared: callers that come together get the same one', async () => {
    const [a, b] = await Promise.all([nextProcesses(), nextProcesses()])
    expect(a).toBe(b)
    expect(await nextProcesses()).not.toBe(a)
  })

  test('within one turn of the program there is one look, in the next a new one', async () => {
    const first = currentProcesses()
    expect(currentProcesses()).toBe(first)
    await Promise.resolve()
    expect(currentProcesses()).not.toBe(first)
  })

  test('the boot id is a word that stays', () => {
    expect(bootId()).toMatch(/^[0-9a-f-]{36}$/)
    expect(bootId()).toBe(bootId())
  })
})
