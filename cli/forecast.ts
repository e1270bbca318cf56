import type { Look } from '../core/backend/contract.ts'
import type { Settings } from '../core/config/settings.ts'
import type { Cast } from './cast.ts'
import { programOf } from './command-line.ts'
import { type Problem, startingEventProblem } from './starting-event.ts'

/** What a run will stumble over though its configuration is sound, one warning each. */
export function forecast(settings: Settings, cast: Cast, look: Pick<Look, 'which'>): readonly string[] {
  const start = startingEventProblem(settings)
  return [
    ...missingPrograms(cast, look),
    ...(start === null ? [] : [`${start.text}, the coordinator does${hint(start)}`]),
  ]
}

function hint({ hint }: Problem): string {
  return hint === undefined ? '' : `; ${hint}`
}

/** Programs without a path that are not to be found. `ralph` itself is always there. */
function missingPrograms(cast: Cast, look: Pick<Look, 'which'>): readonly string[] {
  const programs = new Set([...cast.parts.values()].map(programOf))
  return [...programs]
    .filter((program) => program !== 'ralph' && !program.includes('/') && look.which(program) === null)
    .map(
      (program) =>
        `${program} is not on PATH, so that no agent can be started; \`ralph plugins\` lists what is there, -b chooses another`,
    )
}
