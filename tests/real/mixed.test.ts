import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { gemini } from './programs/gemini.ts'
import { settle } from './programs/index.ts'
import type { Program } from './programs/program.ts'
import { collectionFor, FILES, fileOf, meeting, play, reviewOf } from './wave.ts'

/** Both are there, or their tests are skipped by name. */
const both: Program = {
  ...claude,
  name: 'claude and gemini',
  install: async () => {
    await gemini.install()
    return claude.install()
  },
}

await eachProgram([both], () => {
  test('work in one run, each at the hats that name it', async () => {
    await using box = sandbox()
    const together = meeting(FILES.length)
    const models = new Map<string, string>()
    await using server = startModelServer((request) => {
      const hat = /PLAY-[A-Z]+/.exec(request.prompt)?.[0] ?? 'none'
      models.set(hat === 'PLAY-REVIEWER' ? fileOf(request) : hat, request.model)
      return play(request, together)
    })
    const env = { ...(await settle(claude, box, server)), ...(await settle(gemini, box, server)) }
    box.write(
      'ralph.yml',
      collectionFor(claude).replace(
        '    concurrency: 3\n',
        `    concurrency: 3\n    backend: gemini\n    model: ${gemini.model}\n`,
      ),
    )

    const run = await box.ralph(['run', '-p', 'Review the three files.', '--max-iterations', '5'], { env })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: `${FILES.map(reviewOf).join('\n')}\n` })
    expect(Object.fromEntries(models)).toEqual({
      'PLAY-DISPATCHER': claude.model,
      ...Object.fromEntries(FILES.map((file) => [file, gemini.model])),
      'PLAY-EDITOR': claude.model,
    })
    // What one of them costs is known; the sum says no more than that.
    expect(run.stderr).toMatch(/Run ended: completed .* cost over \$0\.00\d\d/)
    expect(run.stderr).toContain('  workers: cost unknown | ')
    expect(processesOf(box)).toEqual([])
  }, 120_000)
})
