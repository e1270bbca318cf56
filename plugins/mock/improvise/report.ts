import type { Role } from '../../../core/backend/contract.ts'
import type { FileFacts } from '../workspace/facts.ts'

/** Facts about files, as Markdown. `reason` says why these files; `left` counts those that were not looked at. */
export function factsReport(
  title: string,
  reason: string,
  facts: readonly FileFacts[],
  left: number,
): string {
  const marks = sum(facts.map((file) => file.marks.count))
  const lines = sum(facts.map((file) => file.lines))
  return [
    `## ${title}`,
    '',
    `${reason} Counted by the mock; nothing was judged.`,
    ...(facts.length === 0 ? [] : ['', ...facts.map(factLine)]),
    ...(left > 0 ? ['', `${count(left, 'further file')} not looked at.`] : []),
    ...(facts.length === 0
      ? []
      : [
          '',
          `Total: ${count(facts.length, 'file')}, ${count(lines, 'line')}, ${count(marks, 'TODO mark')}.`,
        ]),
  ].join('\n')
}

/** What one actor received, failures last, each once. Totals of workers are added up. */
export function summaryReport(title: string, events: Role['events'], closing: string): string {
  const { results, failures } = sort(events)
  const totals = totalsOf(results.map((event) => event.payload))
  return [
    `## ${title}`,
    '',
    `Received: ${count(results.length, 'event')}, ${count(failures.length, 'failure')}.`,
    ...results.map(
      (event) =>
        `\n### ${event.topic}${event.status === 'partial' ? ' (partial)' : ''}\n\n${excerpt(event.payload)}`,
    ),
    ...(failures.length === 0
      ? []
      : ['\n### Failures\n', ...failures.map((event) => `- ${oneLine(event.payload, 300)}`)]),
    ...(totals === null ? [] : ['', `All together: ${totals}.`]),
    '',
    closing,
  ].join('\n')
}

/** Text on one line, cut to `most` characters. */
export function oneLine(text: string, most: number): string {
  const characters = [...text.trim().replaceAll(/\s+/g, ' ')]
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`
}

/** `1 file`, `2 files`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

function factLine(file: FileFacts): string {
  const { longest, marks, changed } = file
  return [
    `- \`${file.path}\`: ${count(file.lines, 'line')}`,
    ...(longest.length === 0
      ? []
      : [`the longest ${count(longest.length, 'character')} (line ${longest.line})`]),
    marks.firstLine === null
      ? 'no TODO mark'
      : `${count(marks.count, 'TODO mark')} (first in line ${marks.firstLine})`,
    `last ${changed.by === 'commit' ? 'commit' : 'change'} ${changed.date}`,
  ].join(', ')
}

type Received = Role['events'][number]

/** A failed item shows twice in old records, as `wave.worker.failed` and on the topic of the results. */
function sort(events: Role['events']): {
  readonly results: readonly Received[]
  readonly failures: readonly Received[]
} {
  const results: Received[] = []
  const failures = new Map<string, Received>()
  for (const event of events) {
    const worker = /^(?:## )?Worker (\d+) (?:\(FAILED\)|failed)/.exec(event.payload)?.[1]
    const failed = event.status !== undefined && event.status !== 'ok' && event.status !== 'partial'
    if (!failed && worker === undefined && event.topic !== 'wave.worker.failed') results.push(event)
    else if (!failures.has(worker ?? event.payload)) failures.set(worker ?? event.payload, event)
  }
  return { results, failures: [...failures.values()] }
}

function excerpt(payload: string): string {
  const characters = [...payload.trim()]
  if (characters.length === 0) return '(no payload)'
  if (characters.length <= 1500) return characters.join('')
  return `${characters.slice(0, 1500).join('')}\n… (${characters.length - 1500} characters more)`
}

function totalsOf(payloads: readonly string[]): string | null {
  const found = payloads.flatMap((payload) => {
    const match = /^Total: (\d+) files?, (\d+) lines?, (\d+) TODO marks?\.$/m.exec(payload)
    return match ? [match.slice(1).map(Number)] : []
  })
  if (found.length < 2) return null
  const [files = 0, lines = 0, marks = 0] = [0, 1, 2].map((i) => sum(found.map((row) => row[i] ?? 0)))
  return `${count(files, 'file')}, ${count(lines, 'line')}, ${count(marks, 'TODO mark')}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
