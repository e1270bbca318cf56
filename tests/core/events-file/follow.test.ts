import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import { createFollower, type FollowListener } from '../../../core/events-file/follow.ts'
import { until } from '../../helpers/sandbox.ts'
import { folder } from './folder.ts'

const line = (topic: string) => `{"topic":"${topic}"}\n`

/** A listener that keeps the topics and errors it hears of. */
function ear(): FollowListener & { readonly topics: string[]; readonly errors: unknown[]; bad: number } {
  const topics: string[] = []
  const errors: unknown[] = []
  return {
    topics,
    errors,
    bad: 0,
    onRead(read) {
      topics.push(...read.events.map(({ topic }) => topic))
      this.bad += read.bad.length
    },
    onError: (error) => errors.push(error),
  }
}

test('a line is reported as it is written, also in a file that did not exist', async () => {
  using at = folder()
  using follower = createFollower(at.dir)
  const heard = ear()
  follower.add(at.path('wave-w-0.jsonl'), heard)
  appendFileSync(at.path('wave-w-0.jsonl'), line('a'))
  await until('the first line', () => heard.topics.length === 1)
  appendFileSync(at.path('wave-w-0.jsonl'), line('b'))
  await until('the second line', () => heard.topics.length === 2)
  expect(heard.topics).toEqual(['a', 'b'])
})

test('finish reads the rest at once, closes a torn line, and ends the following', async () => {
  using at = folder()
  using follower = createFollower(at.dir)
  const heard = ear()
  const followed = follower.add(at.path('e'), heard)
  writeFileSync(at.path('e'), `${line('a')}{"topic":"b"}`)
  followed.finish({ closeLine: true })
  expect(heard.topics).toEqual(['a', 'b'])

  const other = ear()
  follower.add(at.path('other'), other)
  appendFileSync(at.path('e'), line('late'))
  appendFileSync(at.path('other'), line('c'))
  await until('a later change of the directory', () => other.topics.length === 1)
  followed.finish()
  expect(heard.topics).toEqual(['a', 'b'])
})

test('a file can be read at will, and from a position', () => {
  using at = folder()
  using follower = createFollower(at.dir)
  const heard = ear()
  writeFileSync(at.path('e'), line('a') + line('b'))
  const followed = follower.add(at.path('e'), heard, { offset: line('a').length })
  followed.read()
  followed.read()
  expect(heard.topics).toEqual(['b'])
  followed.finish()
  appendFileSync(at.path('e'), line('c'))
  followed.read()
  expect(heard.topics).toEqual(['b'])
})

test('64 files with lines from many writes lose nothing and repeat nothing', async () => {
  using at = folder()
  using follower = createFollower(at.dir)
  const ears = Array.from({ length: 64 }, (_, i) => ({ path: at.path(`wave-w-${i}.jsonl`), heard: ear() }))
  for (const { path, heard } of ears) follower.add(path, heard)
  const expected = Array.from({ length: 20 }, (_, n) => `t${n}`)
  for (const topic of expected) {
    for (const { path } of ears) {
      appendFileSync(path, line(topic).slice(0, 5))
      appendFileSync(path, line(topic).slice(5))
    }
    await Bun.sleep(0)
  }
  await until('all lines', () => ears.every(({ heard }) => heard.topics.length >= expected.length))
  for (const { heard } of ears) expect(heard.topics).toEqual(expected)
})

test('a directory that is deleted and made anew is followed on', async () => {
  using at = folder()
  const dir = at.path('.ralph')
  mkdirSync(dir)
  using follower = createFollower(dir, { pollMs: 20 })
  const heard = ear()
  follower.add(at.path('.ralph', 'e'), heard)
  appendFileSync(at.path('.ralph', 'e'), line('a'))
  await until('a line before', () => heard.topics.length === 1)
  appendFileSync(at.path('.ralph', 'e'), line('b'))
  rmSync(dir, { recursive: true })
  await until('the unread line of the deleted file', () => heard.topics.length === 2)
  mkdirSync(dir)
  appendFileSync(at.path('.ralph', 'e'), line('c'))
  await until('a line after', () => heard.topics.length === 3)
  expect(heard.topics).toEqual(['a', 'b', 'c'])
  expect(heard.errors).toEqual([])
})

test('a directory that does not exist yet is polled for', async () => {
  using at = folder()
  using follower = createFollower(at.path('later'), { pollMs: 20 })
  const heard = ear()
  follower.add(at.path('later', 'e'), heard)
  mkdirSync(at.path('later'))
  appendFileSync(at.path('later', 'e'), line('a'))
  await until('its line', () => heard.topics.length === 1)
})

test('a file that cannot be read is told of once', async () => {
  using at = folder()
  writeFileSync(at.path('real'), '')
  symlinkSync(at.path('real'), at.path('link'))
  using follower = createFollower(at.dir, { pollMs: 5 })
  const [broken, sound] = [ear(), ear()]
  follower.add(at.path('link'), broken)
  follower.add(at.path('sound'), sound)
  for (const n of [1, 2, 3]) {
    appendFileSync(at.path('sound'), line(`t${n}`))
    await until('a poll', () => sound.topics.length === n)
  }
  await until('the error', () => broken.errors.length > 0)
  expect(broken.errors).toHaveLength(1)
})

test('no watcher begins for files that are done with in a moment; for one that lasts longer it does', async () => {
  using at = folder()
  let watchers = 0
  const counting = ((...given: Parameters<typeof watch>) => {
    watchers++
    return watch(...given)
  }) as typeof watch
  using follower = createFollower(at.dir, { pollMs: 60_000, watch: counting })
  for (const name of ['a', 'b']) {
    const heard = ear()
    const followed = follower.add(at.path(name), heard)
    appendFileSync(at.path(name), line('t'))
    await new Promise(setImmediate)
    followed.finish()
    expect(heard.topics).toEqual(['t'])
  }
  expect(watchers).toBe(0)
  const heard = ear()
  follower.add(at.path('c'), heard)
  appendFileSync(at.path('c'), line('before'))
  await until('what was written before it began', () => heard.topics.length === 1)
  expect(watchers).toBe(1)
  appendFileSync(at.path('c'), line('after'))
  await until('what it woke for', () => heard.topics.length === 2)
})

test('a directory that cannot be watched is polled, and that is told once', async () => {
  using at = folder()
  const told: string[] = []
  const watch = (): never => {
    throw Object.assign(new Error('ENOSPC: no watch is left'), { code: 'ENOSPC', syscall: 'watch' })
  }
  using follower = createFollower(at.dir, {
    pollMs: 5,
    watch: watch as unknown as typeof import('node:fs').watch,
    onUnwatched: (reason) => told.push(reason),
  })
  const heard = ear()
  follower.add(at.path('e'), heard)
  for (const topic of ['a', 'b']) {
    appendFileSync(at.path('e'), line(topic))
    await until(`line ${topic}`, () => heard.topics.includes(topic))
  }
  expect([heard.topics, told]).toEqual([['a', 'b'], ['ENOSPC: no watch is left']])
})

test('a file is followed once', () => {
  using at = folder()
  using follower = createFollower(at.dir)
  follower.add(at.path('e'), ear())
  expect(() => follower.add(at.path('e'), ear())).toThrow('followed already')
})

test('following keeps no program alive', async () => {
  using at = folder()
  const source = `
    import { createFollower } from ${JSON.stringify(require.resolve('../../../core/events-file/follow.ts'))}
    createFollower(process.argv[1]).add(process.argv[1] + '/e', { onRead() {}, onError() {} })
  `
  const child = Bun.spawn([process.execPath, '--no-install', '-e', source, at.dir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await child.exited).toBe(0)
})

test('a file that rests is read when somebody asks, else once the rest is over', async () => {
  using at = folder()
  using follower = createFollower(at.dir, { pollMs: 10 })
  const [resting, other] = [ear(), ear()]
  const followed = follower.add(at.path('e'), resting)
  follower.add(at.path('other'), other)
  followed.rest(1_000_000)
  appendFileSync(at.path('e'), line('a'))
  appendFileSync(at.path('other'), line('x'))
  await until('a look at the others', () => other.topics.length === 1)
  appendFileSync(at.path('other'), line('y'))
  await until('a further look', () => other.topics.length === 2)
  expect(resting.topics).toEqual([])
  followed.read()
  expect(resting.topics).toEqual(['a'])

  appendFileSync(at.path('e'), line('b'))
  followed.rest(1)
  await until('the end of the rest', () => resting.topics.length === 2)
})
