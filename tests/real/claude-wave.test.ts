import { beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { type ModelAnswer, type ModelRequest, startModelServer } from './model-server.ts'
import { claudeEnv, installClaude } from './programs.ts'

let program = ''
beforeAll(async () => {
  program = await installClaude()
}, 300_000)

const COLLECTION = `
event_loop:
  starting_event: review.start
  completion_promise: LOOP_COMPLETE
cli:
  backend: claude
  model: claude-sonnet-4-5
hats:
  dispatcher:
    name: Dispatcher
    description: Hands out the files.
    triggers: [review.start]
    publishes: [review.file]
    instructions: PLAY-DISPATCHER. One item for each file.
  reviewer:
    name: Reviewer
    description: Reviews one file.
    triggers: [review.file]
    publishes: [review.done]
    concurrency: 3
    instructions: PLAY-REVIEWER. Review your file only.
  editor:
    name: Editor
    description: Merges the reviews.
    triggers: [review.done]
    publishes: [LOOP_COMPLETE]
    aggregate: { mode: wait_for_all }
    instructions: PLAY-EDITOR. Merge all reviews.
`

const FILES = ['file-alpha', 'file-beta', 'file-gamma'] as const

test('the real program plays a wave: three at once, their results merged, the last word on stdout', async () => {
  await using box = sandbox()
  const together = meeting(FILES.length)
  await using model = startModelServer((request) => play(request, together))
  box.write('ralph.yml', COLLECTION)

  const run = await box.ralph(['run', '-p', 'Review the three files.', '--max-iterations', '5'], {
    env: {
      PATH: `${withClaude(box)}:${process.env.PATH ?? ''}`,
      ...claudeEnv(model.url, box.home),
    },
  })

  expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'found in file-alpha, file-beta, file-gamma\n' })
  const reviews = model.requests.filter(({ prompt, turn }) => prompt.includes('PLAY-REVIEWER') && turn === 0)
  expect(reviews.map(fileOf).sort()).toEqual([...FILES])
  expect(processesOf(box)).toEqual([])
}, 120_000)

/** The model's part in each hat, told by the hat's instructions. Everything that counts goes through the real shell tool. */
async function play(request: ModelRequest, together: () => Promise<void>): Promise<ModelAnswer> {
  const { prompt, turn } = request
  if (turn > 0) return { text: 'That is all.' }
  if (prompt.includes('PLAY-DISPATCHER'))
    return { text: 'I hand out.', command: `ralph wave emit review.file --payloads ${FILES.join(' ')}` }
  if (prompt.includes('PLAY-REVIEWER')) {
    await together()
    return { text: 'I review.', command: emit('review.done', `found in ${fileOf(request)}`) }
  }
  if (prompt.includes('PLAY-EDITOR')) {
    const found = [...prompt.matchAll(/found in (file-\w+)/g)].map(([, file]) => file)
    return { text: 'I merge.', command: emit('LOOP_COMPLETE', `found in ${[...new Set(found)].join(', ')}`) }
  }
  return { text: 'I have no part.' }
}

function emit(topic: string, payload: string): string {
  return `ralph emit ${topic} --stdin <<'RALPH_EOF'\n${payload}\nRALPH_EOF`
}

function fileOf({ prompt }: ModelRequest): string {
  return FILES.find((file) => prompt.includes(file)) ?? 'no file'
}

/** Lets nobody go on before `count` have come: workers one after the other would wait for ever. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let come = 0
  return () => {
    come += 1
    if (come === count) resolve()
    return promise
  }
}

/** A folder for PATH in which `claude` is the pinned program. */
function withClaude(box: Sandbox): string {
  const folder = join(box.home, 'bin')
  mkdirSync(folder)
  symlinkSync(program, join(folder, 'claude'))
  return folder
}

/** Living processes that carry the sandbox's home in their environment, with their command lines. */
function processesOf(box: Sandbox): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const isZombie = /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        if (isZombie || !environment.includes(`HOME=${box.home}`)) return []
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
      } catch {
        return []
      }
    })
}
