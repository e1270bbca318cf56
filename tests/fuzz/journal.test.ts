import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { RalphError } from '../../core/errors.ts'
import { readJournal } from '../../core/journal/read.ts'
import { foldJournal } from '../../core/run/fold.ts'
import { damage, holds } from './property.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-fuzz-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const journals = [...new Bun.Glob('**/*.jsonl').scanSync(join(import.meta.dir, '../fixtures/journals'))].map(
  (name) => readFileSync(join(import.meta.dir, '../fixtures/journals', name)),
)

describe('a damaged journal', () => {
  test('is folded, or refused by name; what cannot be read of it is counted', () => {
    expect(journals.length).toBeGreaterThan(0)
    return holds(
      fc.property(fc.constantFrom(...journals), damage, (journal, harm) => {
        const path = join(folder, 'journal.jsonl')
        const bytes = Buffer.from(harm(journal))
        writeFileSync(path, bytes)
        try {
          const content = readJournal(path)
          const lines = bytes
            .toString()
            .split('\n')
            .slice(1, -1)
            .filter((line) => line !== '')
          expect(content.facts.length + content.badLines.length).toBe(lines.length)
          foldJournal(content, { dir: '/s' })
        } catch (error) {
          if (!(error instanceof RalphError)) throw error
          expect(error.code).toStartWith('journal_')
        }
      }),
      500,
    )
  })
})
