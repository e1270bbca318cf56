import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLocked, nameHolder, readHolder, takeLock } from '../../../cli/world/lock.ts'
import { describeHolder, holdRun, isHeld, readRunHolder } from '../../../cli/world/run-hold.ts'
import { bootId, startTimeOf } from '../../../core/agent/processes.ts'

function folder(): Disposable & { readonly dir: string } {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-lock-'))
  return { dir, [Symbol.dispose]: () => rmSync(dir, { recursive: true }) }
}

const holder = describeHolder({ started: new Date(0), workspace: '/w', prompt: 'x'.repeat(300) })

describe('a lock', () => {
  test('tells who holds it: process, start, boot, folder, at most 100 characters of the objective', async () => {
    using place = folder()
    const path = join(place.dir, 'loop.lock')
    using _lock = await takeLock(path, holder, false)
    expect(readHolder(path)).toEqual({
      pid: process.pid,
      started: '1970-01-01T00:00:00.000+00:00',
      prompt: 'x'.repeat(100),
      startTime: startTimeOf(process.pid),
      bootId: bootId(),
      workspace: '/w',
    })
  })

  test('tells the run once it is known, and a message then names process, time and run', async () => {
    using place = folder()
    const path = join(place.dir, 'loop.lock')
    using lock = await takeLock(path, holder, false)
    expect(nameHolder(readHolder(path))).toStartWith('a run that has just begun (process ')
    lock.nameRun('primary-1')
    expect(nameHolder(readHolder(path))).toBe(
      `run primary-1 (process ${process.pid}, since 1970-01-01T00:00:00.000+00:00)`,
    )
  })

  test('is nobody else’s while it is held, and anybody’s afterwards', async () => {
    using place = folder()
    const path = join(place.dir, 'loop.lock')
    {
      using _lock = await takeLock(path, holder, false)
      expect(isLocked(path)).toBe(true)
      expect(takeLock(path, holder, false)).rejects.toMatchObject({ code: 'locked' })
    }
    expect(isLocked(path)).toBe(false)
    using _again = await takeLock(path, holder, false)
    expect(isLocked(path)).toBe(true)
  })

  test('is taken though others ask all the time whether it is: a question is no run', async () => {
    using place = folder()
    const path = join(place.dir, 'loop.lock')
    writeFileSync(path, '')
    const asking = Bun.spawn(
      [
        process.execPath,
        '-e',
        `import { isLocked } from '${join(import.meta.dir, '../../../cli/world/lock.ts')}'
        console.log(isLocked('${path}')); while (true) { isLocked('${path}'); Bun.sleepSync(1) }`,
      ],
      { stdout: 'pipe', stderr: 'inherit', env: { ...process.env, BUN_BE_BUN: '1' } },
    )
    try {
      const { value } = await asking.stdout.getReader().read()
      expect(new TextDecoder().decode(value)).toBe('false\n')
      for (let i = 0; i < 200; i++) {
        using _lock = await takeLock(path, holder, false)
        expect(isLocked(path)).toBe(true)
      }
    } finally {
      asking.kill('SIGKILL')
      await asking.exited
    }
  })
})

describe('a run', () => {
  test('that somebody works on is held, and the message names who', async () => {
    using place = folder()
    {
      using _hold = await holdRun(place.dir, { ...holder, run: 'wave-1' })
      expect([isHeld(place.dir), readRunHolder(place.dir)?.run]).toEqual([true, 'wave-1'])
      const second = await holdRun(place.dir, { ...holder, run: 'wave-1' }).catch((error) => error)
      expect(second).toMatchObject({
        code: 'run_held',
        message: `the run wave-1 is in progress: process ${process.pid} (since 1970-01-01T00:00:00.000+00:00) works on it`,
      })
    }
    expect(isHeld(place.dir)).toBe(false)
  })

  test('that was removed meanwhile is told as such, and comes back by no lock file', async () => {
    using place = folder()
    const gone = join(place.dir, 'wave-1')
    const error = await holdRun(gone, { ...holder, run: 'wave-1' }).catch((error) => error)
    expect(error).toMatchObject({ code: 'run_removed', message: 'the run wave-1 was removed meanwhile' })
    expect(existsSync(gone)).toBe(false)
  })

  test('without a lock file is free', () => {
    using place = folder()
    expect([isHeld(place.dir), readRunHolder(place.dir)]).toEqual([false, null])
  })
})
