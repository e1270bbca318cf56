import type { Settings } from '../../core/config/settings.ts'
import type { Hat } from '../../core/hat.ts'
import type { Cast, Part } from '../cast.ts'
import { commandLine, type Surroundings, variablesOf } from '../command-line.ts'
import type { Objective } from '../objective.ts'
import type { Palette } from './colour.ts'
import { renderBudgets } from './intro.ts'
import { oneLine, safeText } from './safe-text.ts'

/** What `run --dry-run` prints on stdout: all that a run would go by, and the command line for each hat. */
export function renderDryRun(
  plan: {
    readonly settings: Settings
    readonly cast: Cast
    readonly objective: Objective | null
    readonly around: (part: Part) => Surroundings
  },
  paint: Palette,
): string {
  const { settings, cast, objective } = plan
  const { eventLoop, core, hats } = settings
  const rows: readonly (readonly [string, string])[] = [
    ['objective', objective === null ? 'none yet' : renderObjective(objective)],
    ['start', eventLoop.startingEvent ?? 'task.start'],
    ['promise', eventLoop.completionPromise],
    ...(eventLoop.requiredEvents.length === 0
      ? []
      : [['required', eventLoop.requiredEvents.join(', ')] as const]),
    ['limits', renderBudgets(settings)],
    ['scratchpad', core.scratchpad.enabled ? core.scratchpad.path : `off (${core.scratchpad.path})`],
    ['specs', core.specsDir],
    ['backend', cast.parts.get('')?.backend.name ?? settings.cli.backend],
    ...accessRows(settings, cast),
    ['mode', 'autonomous'],
  ]
  return `${[
    list(rows, paint),
    heading('Hats', paint) +
      (hats.length === 0 ? '  none: ralph itself plays the whole run' : renderHats(hats, paint)),
    heading('Command lines', paint) + renderCommands(plan, paint),
    ...renderVariables(plan, paint),
    paint.dim('dry run: nothing was started or written'),
  ].join('\n\n')}\n`
}

/** Only where it is not what it always is. */
function accessRows({ cli }: Settings, cast: Cast): readonly (readonly [string, string])[] {
  const levels = [...cast.parts.values()].map(({ hat, options }) => [
    hat || 'ralph',
    options.access ?? 'full',
  ])
  const restricted = levels.some(([, level]) => level !== 'full')
  const shown = levels.map(([hat, level]) => `${hat} ${level}`).join(', ')
  return [
    ...(restricted ? [['access', shown] as const] : []),
    ...(cli.env === 'inherit' ? [] : [['environment', ['filtered', ...cli.env.allow].join(', ')] as const]),
  ]
}

function renderObjective({ text, source, path }: Objective): string {
  if (source === 'kept') return 'the one kept with the run'
  const from = path === undefined || path === source ? source : `${source} ${path}`
  return `${oneLine(text, 60)} (from ${oneLine(from, 200)})`
}

function renderHats(hats: readonly Hat[], paint: Palette): string {
  return list(
    hats.map((hat) => {
      const notes = [
        ...(hat.concurrency > 1 ? [`concurrency ${hat.concurrency}`] : []),
        ...(hat.aggregate ? ['aggregate'] : []),
        ...(hat.maxActivations === undefined ? [] : [`at most ${hat.maxActivations} times`]),
      ]
      const routes = `${hat.triggers.join(', ') || '–'} → ${hat.publishes.join(', ') || '–'}`
      const note = notes.length === 0 ? '' : ` [${notes.join(', ')}]`
      return [hat.id, oneLine(`${hat.name}: ${routes}${note}`, 1000)] as const
    }),
    paint,
  )
}

type Playing = { readonly cast: Cast; readonly around: (part: Part) => Surroundings }

function renderCommands({ cast, around }: Playing, paint: Palette): string {
  return list(
    [...cast.parts.values()].map((part) => [part.hat || 'ralph', commandLine(part, around(part))] as const),
    paint,
  )
}

/** Some of what holds a program to its access stands in no command line. One row for hats that have the same. */
function renderVariables({ cast, around }: Playing, paint: Palette): readonly string[] {
  const rows = new Map<string, string>()
  for (const part of cast.parts.values()) {
    const { access } = part.options
    const who = access === undefined ? part.backend.name : `${part.backend.name}, ${access} access`
    const words = variablesOf(part, around(part))
    if (words.length > 0) rows.set(who, words.join(' '))
  }
  return rows.size === 0 ? [] : [heading('Variables', paint) + list([...rows], paint)]
}

function heading(text: string, paint: Palette): string {
  return `${paint.bold(text)}\n`
}

function list(rows: readonly (readonly [string, string])[], paint: Palette): string {
  const width = Math.max(...rows.map(([term]) => term.length))
  return rows.map(([term, text]) => `  ${paint.cyan(term.padEnd(width))}  ${safeText(text)}`).join('\n')
}
