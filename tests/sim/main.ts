import { simulateShell } from './shell.ts'
import { simulate } from './simulate.ts'

/**
 * `npm run test:sim -- [--seeds N] [--from N] [--seed N]`: plays that many seeds of loops and of waves from the shell,
 * or one of them aloud.
 * Ends 1 at the first seed that fails, and prints it.
 */
async function main(args: readonly string[]): Promise<number> {
  const number = (flag: string): number | null => {
    const at = args.indexOf(flag)
    return at === -1 ? null : Number(args[at + 1])
  }
  const one = number('--seed')
  if (one !== null) {
    const { ends, failure } = await simulate(one, (line) => console.log(line))
    console.log(`seed ${one}: ${ends.join(', ')}${failure === null ? '' : `\nFAILED: ${failure.reason}`}`)
    const shell = await simulateShell(one)
    console.log(`from the shell: ${shell.ends.join(', ')}`)
    if (shell.failure !== null)
      console.log(`FAILED: ${shell.failure.reason}\n${shell.failure.journal.join('\n')}`)
    return failure === null && shell.failure === null ? 0 : 1
  }
  const from = number('--from') ?? 1
  const seeds = number('--seeds') ?? 3000
  const most = number('--failures') ?? 1
  const started = performance.now()
  const ends = new Map<string, number>()
  let facts = 0
  let failures = 0
  let played = 0
  for (let seed = from; seed < from + seeds; seed++) {
    played += 1
    for (const done of [await simulate(seed), await simulateShell(seed)]) {
      facts += done.facts
      for (const end of done.ends) ends.set(end, (ends.get(end) ?? 0) + 1)
      if (done.failure === null) continue
      failures += 1
      console.log(`seed ${seed} FAILED: ${done.failure.reason}`)
      if (most === 1) console.log(done.failure.journal.join('\n'))
    }
    if (failures >= most) break
  }
  const seconds = (performance.now() - started) / 1000
  const summary = [...ends].sort((a, b) => b[1] - a[1]).map(([end, count]) => `${count} ${end}`)
  console.log(`${played} seeds, ${facts} facts, ${failures} failed, ${seconds.toFixed(1)} s`)
  console.log(`ends: ${summary.join(', ')}`)
  return failures === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))
