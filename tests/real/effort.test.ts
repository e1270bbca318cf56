import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { PROGRAMS, settle } from './programs/index.ts'
import type { Program } from './programs/program.ts'

/** Where a request says how hard to think, by program. The others have no setting for it. */
const SAID: Readonly<Record<string, (body: Body) => string | undefined>> = {
  claude: ({ output_config }) => output_config?.effort,
  codex: ({ reasoning }) => reasoning?.effort,
  opencode: ({ reasoning_effort }) => reasoning_effort,
  pi: ({ reasoning_effort }) => reasoning_effort,
}

/** Models that have it, where the one of the other tests has not: the program then leaves it away. */
const THINKING: Readonly<Record<string, string>> = { claude: 'claude-opus-4-5' }

interface Body {
  readonly output_config?: { readonly effort?: string }
  readonly reasoning?: { readonly effort?: string }
  readonly reasoning_effort?: string
}

interface Refusing extends AsyncDisposable {
  readonly url: string
  /** What was asked, in order. */
  readonly bodies: readonly Body[]
}

/** A model that refuses everything, and keeps what it was asked. */
function refuse(): Refusing {
  const bodies: Body[] = []
  const http = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      bodies.push((await request.json().catch(() => ({}))) as Body)
      const error = { type: 'invalid_request_error', message: 'refused' }
      return Response.json({ type: 'error', error }, { status: 400 })
    },
  })
  return { url: `http://127.0.0.1:${http.port}`, bodies, [Symbol.asyncDispose]: () => http.stop(true) }
}

/** Two programs ask a model for effort only if their settings say that it thinks. */
function letThink(box: Sandbox, { name }: Program): void {
  const edit = (path: string, change: (text: string) => string): void => {
    const file = join(box.home, path)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }
  if (name === 'pi')
    edit('.pi/agent/models.json', (text) => text.replace('"reasoning":false', '"reasoning":true'))
  if (name === 'opencode')
    edit('.config/opencode/opencode.json', (text) =>
      text.replace('"name":"scripted"', '"name":"scripted","reasoning":true'),
    )
}

await eachProgram(PROGRAMS, (program) => {
  const { name } = program
  const said = SAID[name]
  test.skipIf(said === undefined)(
    'asks the model for the effort that is configured',
    async () => {
      await using box = sandbox()
      await using server = refuse()
      const env = await settle(program, box, server)
      letThink(box, program)
      for (const effort of ['high', 'low']) {
        const before = server.bodies.length
        const config = ['--model', THINKING[name] ?? program.model, '-c', `cli.effort=${effort}`]
        await box.ralph(['run', '-b', name, ...config, '--max-iterations', '1', '-p', 'Go on.'], { env })
        expect(server.bodies.slice(before).map((body) => said?.(body))).toContain(effort)
      }
    },
    120_000,
  )

  test('is found by the doctor, with the version that was measured', async () => {
    await using box = sandbox()
    await using server = refuse()
    const env = await settle(program, box, server)
    const { stdout } = await box.ralph(['doctor', '--json', '-c', `cli.backend=${name}`], { env })
    const rows: readonly Row[] = JSON.parse(stdout)
    const row = rows.find(({ check }) => check === `backend ${name}`)
    expect(row?.state, stdout).not.toBe('fail')
    expect(row?.backend?.measured.some((version) => row.backend?.version.includes(version))).toBe(true)
  }, 60_000)
})

interface Row {
  readonly check: string
  readonly state: string
  readonly backend?: { readonly measured: readonly string[]; readonly version: string }
}
