import { expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChannels } from '../../../cli/world/channels.ts'
import type { FactBody } from '../../../core/run/fact.ts'
import { NO_SECRETS } from '../../../core/secrets.ts'

/** Channels on an empty main file, whose store of long texts works while `disk.full` is false. */
function channels() {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-channels-'))
  const eventsFile = join(dir, 'events.jsonl')
  writeFileSync(eventsFile, '')
  const facts: FactBody[] = []
  const disk = { full: false }
  const context: Parameters<typeof createChannels>[0] = {
    run: { id: 'r', workspace: dir, dir, eventsFile, pid: 1, startedAt: 0, startedMono: 0 },
    eventsDir: dir,
    control: { completion: 'DONE' },
    report() {},
    secrets: NO_SECRETS,
    mailbox: { push: (...more) => facts.push(...more) },
    blobs: {
      store(text) {
        if (disk.full) throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' })
        return { inline: text }
      },
    },
  }
  const made = createChannels(context, new Map())
  made.followMain(0)
  return {
    made,
    facts,
    disk,
    write: (topic: string) => appendFileSync(eventsFile, `${JSON.stringify({ topic })}\n`),
    [Symbol.dispose]() {
      made.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

test('what cannot be kept is not believed, nor what comes after it: the run ends, and --continue reads it again', () => {
  using at = channels()
  at.write('a')
  at.made.readMain(false)
  const [first] = at.facts
  at.disk.full = true
  at.write('b')
  at.made.readMain(false)
  at.disk.full = false
  at.write('c')
  at.made.readMain(true)
  expect(at.facts.map((fact) => fact.type)).toEqual(['events.read', 'io.failed', 'events.read'])
  const offset = first?.type === 'events.read' ? first.offset : 0
  expect(offset).toBeGreaterThan(0)
  expect(at.facts.at(-1)).toEqual({ type: 'events.read', events: [], bad: [], offset, final: true })
})

test('a worker whose file cannot be made is told before it starts', () => {
  using at = channels()
  expect(() => at.made.openWorker(1, '/proc/none/wave-w-0.jsonl', null)).toThrow()
})
