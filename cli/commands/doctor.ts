import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS } from '../listing.ts'
import { writeOut } from '../stdout.ts'
import { lookAtTerminal, stdoutColumns } from '../terminal.ts'
import { jsonLine } from '../view/json.ts'

const spec = {
  name: 'doctor',
  summary: 'Checks what a run needs: config, hats, folders, limits, Git, AI programs',
  examples: ['ralph doctor', `ralph doctor --json | jq '.[] | select(.state == "fail")'`],
  positionals: [],
  flags: {
    ...LISTING_FLAGS,
    plugins: { type: 'many', value: 'DIR', description: 'A folder of further backends', group: 'Agents' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph doctor`: exit 1 if a check fails. */
export const doctor: Command = createCommand(spec, async ({ flags }) => {
  const { examine } = await import('../examination.ts')
  const { renderChecks } = await import('../view/checks.ts')
  const checks = await examine({ ...flags, cwd: process.cwd(), env: process.env })
  const terminal = lookAtTerminal(flags.color, process.env)
  const style = { paint: terminal.out, columns: Math.min(WIDEST, stdoutColumns(terminal) ?? PIPE) }
  const isJson = flags.json || flags.format === 'json'
  writeOut(isJson ? `${jsonLine(checks)}\n` : renderChecks(checks, style))
  return checks.some(({ state }) => state === 'fail') ? 1 : 0
})

/** Columns where there is no terminal, and the most that still reads well. */
const PIPE = 80
const WIDEST = 110
