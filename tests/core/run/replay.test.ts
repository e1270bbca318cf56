import { expect, test } from 'bun:test'
import { absorb } from '../../../core/run/absorb.ts'
import type { State } from '../../../core/run/state.ts'
import { dispatch, exits, type Rig, rig, rigState, says, waveHats } from './rig.ts'

const OPTIONS = { hats: waveHats(), loop: { startingEvent: 'work.start' } }

/** What a resumed run depends on; what was asked of a shell that is gone is not part of it. */
function essence(state: State) {
  const { loop, waves, running, totals, activations, ended } = state
  return {
    ended,
    totals,
    activations: [...activations],
    running: [...running.keys()],
    waves: [...waves.values()].map(({ id, works, settled, queued }) => ({ id, works, settled, queued })),
    inboxes: [...(loop?.inboxes ?? [])],
    iteration: loop?.iteration,
    seen: [...(loop?.seenTopics ?? [])],
    counters: loop?.counters,
    completion: loop?.completion,
  }
}

function replay(journal: Rig['journal']): State {
  const state = rigState(OPTIONS)
  for (const fact of journal) absorb(state, fact)
  return state
}

test('folding the journal gives the state again, after every fact of a run with a wave', () => {
  const r = rig(OPTIONS)
  const check = (): void => expect(essence(replay(r.journal))).toEqual(essence(r.state))
  check()
  r.act([['item.go', 'alone']])
  check()
  r.act([], exits(1, 'boom'))
  check()
  dispatch(r, [
    ['item.go', 'a'],
    ['item.go', 'b'],
    ['item.go', 'c'],
  ])
  check()
  for (const n of r.running()) {
    r.work(n, n % 2 === 0 ? [['item.done', `r${n}`]] : [], n % 2 === 0 ? {} : exits(7))
    check()
  }
  r.act([['LOOP_COMPLETE']], says('the report'))
  check()
  expect(r.end).toBe('completed')
})
