import { RalphError } from '../../core/errors.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { given } from '../given.ts'
import { writeErr, writeOut } from '../stdout.ts'

const spec = {
  name: 'trust',
  summary: 'Shows what files of the workspace would execute, and keeps your word for it',
  examples: ['ralph trust', 'ralph trust -H ./presets/review.yml'],
  positionals: [],
  flags: {
    backend: {
      type: 'one',
      short: 'b',
      value: 'NAME',
      description: 'As for ralph run: which AI program plays',
      group: 'Agents',
    },
    plugins: { type: 'many', value: 'DIR', description: 'A folder of further backends', group: 'Agents' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph trust`: at a terminal it asks once what was shown; elsewhere the command itself is the word. */
export const trust: Command = createCommand(spec, async ({ flags }) => {
  const { loadConfiguration } = await import('../configuration.ts')
  const { lookAtTerminal } = await import('../terminal.ts')
  const { renderExecutables } = await import('../view/trust.ts')
  const { askYesNo, canAsk } = await import('../trust/question.ts')
  const { wordOf } = await import('../trust/settle.ts')
  const { surveyTrust } = await import('../trust/survey.ts')
  const { env } = process
  const cwd = process.cwd()
  const { loaded, registry } = await loadConfiguration({
    ...flags,
    flags: given({ backend: flags.backend }),
    cwd,
    env,
  })
  const { all, store } = surveyTrust({ config: loaded, registry, backends: null, cwd, env })
  if (all.length === 0) {
    writeOut('nothing to trust: no file of this workspace says what is executed\n')
    return 0
  }
  const executables = all.map(({ executable }) => executable)
  writeOut(renderExecutables(executables, cwd, lookAtTerminal(flags.color, env).out))
  const open = all.filter(({ kept }) => !kept)
  if (open.length === 0) {
    writeErr('trusted already\n')
    return 0
  }
  if (!store.ok) {
    throw new RalphError('untrusted', `your word cannot be kept: ${store.error}`, {
      hint: '--trust or RALPH_TRUST=1 gives it for one run',
    })
  }
  if (env.RALPH_AGENT) throw new RalphError('untrusted', 'an agent cannot give the word of its user')
  if (canAsk() && !askYesNo('Files of this workspace say that this runs here. Trust it?')) {
    throw new RalphError('untrusted', 'not trusted: nothing was kept')
  }
  store.value.keep(open.map(wordOf))
  writeErr('trusted until one of them changes\n')
  return 0
})
