import { appendFileSync, closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { EventsReader } from '../../core/events-file/reader.ts'
import { formatRecord } from '../../core/events-file/record.ts'
import type { Bench } from './bench.ts'
import { ratio, type Sample, sampleOf } from './measure.ts'
import type { Row } from './report.ts'
import { createWorkspace } from './workspace.ts'

const FRESH = 100

/** P6: reading new events behind many old ones, as a run does that follows its events file. */
export const reading: Bench = {
  id: 'P6',
  about: 'reading new events behind old ones',
  async run({ disk }, scale) {
    const [old, times] = scale === 'full' ? [1_000_000, 15] : [1000, 1]
    const { cwd } = createWorkspace(disk)
    const none = follow(join(cwd, 'none.jsonl'), 0)
    const many = follow(join(cwd, 'many.jsonl'), old)
    const behind = { none: [] as number[], many: [] as number[] }
    for (let round = 0; round < times; round++) {
      behind.none.push(none.readFresh())
      behind.many.push(many.readFresh())
    }
    const row = (what: string, sample: Sample): Row => ({
      what: `P6  ${FRESH} new events behind ${what}`,
      sample,
      unit: 'ms',
    })
    const [few, all] = [sampleOf(behind.none), sampleOf(behind.many)]
    const share = ratio(all, few)
    none.close()
    many.close()
    return [
      row('none', few),
      row(`${old} old ones`, all),
      {
        what: `P6  behind ${old} : behind none`,
        sample: share,
        unit: '×',
        aim: { says: '≤ 2', met: share.median <= 2 },
      },
    ]
  },
}

function follow(path: string, old: number) {
  writeMany(path, old)
  const reader = new EventsReader(path)
  const { events } = old === 0 ? { events: [] } : reader.read()
  if (events.length !== old) throw new Error(`${events.length} of ${old} events were read`)
  return {
    /** Milliseconds from when they were written to when they are understood. */
    readFresh(): number {
      appendFileSync(path, LINE.repeat(FRESH))
      const began = performance.now()
      const read = reader.read()
      const ms = performance.now() - began
      if (read.events.length !== FRESH) throw new Error(`${read.events.length} of ${FRESH} events were read`)
      return ms
    },
    close() {
      reader.close()
      rmSync(path)
    },
  }
}

function writeMany(path: string, count: number): void {
  const fd = openSync(path, 'w')
  const block = Buffer.from(LINE.repeat(1000))
  for (let left = count; left > 0; left -= 1000) writeSync(fd, block)
  closeSync(fd)
}

const LINE = formatRecord({
  topic: 'a.topic',
  payload: 'a payload',
  ts: '2026-01-01T00:00:00.000Z',
  agent: 'r:1',
})
