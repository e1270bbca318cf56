import { atMost } from '../helpers/at-most.ts'
import { createRandom } from '../sim/random.ts'
import { crashRound } from './round.ts'

/** `npm run test:crash -- [--rounds N] [--from N]`: kills that many real runs at random moments. Ends 1 if one went wrong. */
async function main(args: readonly string[]): Promise<number> {
  const number = (flag: string, otherwise: number): number => {
    const at = args.indexOf(flag)
    return at === -1 ? otherwise : Number(args[at + 1])
  }
  const rounds = number('--rounds', 20)
  const from = number('--from', 1)
  const started = performance.now()
  const place = atMost(4)
  let kills = 0
  let agents = 0
  let failed = 0
  const play = async (seed: number): Promise<void> => {
    const round = await crashRound(createRandom(seed))
    kills += round.kills
    agents += round.agents
    if (round.faults.length === 0) return
    failed += 1
    console.log(`round ${seed} FAILED (${round.kills} kills):\n  ${round.faults.join('\n  ')}`)
  }
  await Promise.all(Array.from({ length: rounds }, (_, i) => place(() => play(from + i))))
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`${rounds} rounds, ${kills} kills, ${agents} agents, ${failed} failed, ${seconds} s`)
  return failed === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))
