import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { codex } from './programs/codex.ts'
import { gemini } from './programs/gemini.ts'
import { settle } from './programs/index.ts'
import { opencode } from './programs/opencode.ts'
import { collectionFor, FILES, handOver } from './wave.ts'

/** `pi` keeps no conversation. */
const RESUMABLE = [claude, gemini, codex, opencode]

/** With two topics a final message alone is no result. */
const TOPICS = ['publishes: [review.done]', 'publishes: [review.done, review.skipped]'] as const

await eachProgram(RESUMABLE, (program) => {
  test('a worker that forgot its result is asked once more in the same conversation', async () => {
    await using box = sandbox()
    await using model = startModelServer(({ prompt, turn }) => {
      const nudged = prompt.indexOf('without publishing a result')
      if (prompt.includes('PLAY-REVIEWER')) {
        if (nudged === -1) return { text: 'It is fine.' }
        return handOver(prompt.slice(nudged), 'review.skipped', 'late')[turn] ?? { text: 'Now it is.' }
      }
      if (turn > 0) return { text: 'That is all.' }
      if (prompt.includes('PLAY-DISPATCHER'))
        return { text: 'One.', command: `ralph wave emit review.file --payloads ${FILES[0]}` }
      const merged = prompt.includes('late') ? 'late' : 'nothing'
      return { text: 'I merge.', command: `ralph emit LOOP_COMPLETE '${merged}'` }
    })
    const env = await settle(program, box, model)
    box.write(
      'ralph.yml',
      collectionFor(program)
        .replace(...TOPICS)
        .replace('triggers: [review.done]', 'triggers: [review.done, review.skipped]'),
    )

    const run = await box.ralph(['run', '-p', 'Review the file.', '--max-iterations', '3'], { env })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'late\n' })
    expect(run.stderr).toContain('asked once more for its result')
    expect(processesOf(box)).toEqual([])
  }, 90_000)
})
