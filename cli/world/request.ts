import type { Loaded } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import type { RedriveWish } from '../../core/run/redriven.ts'
import type { Report } from '../../core/run-event.ts'
import type { Cast } from '../cast.ts'
import type { Objective } from '../objective.ts'

/** All that `ralph run` has settled before anything is written or started. */
export interface LoopRequest {
  readonly settings: Settings
  readonly files: Loaded['files']
  readonly cast: Cast
  readonly objective: Objective
  readonly flags: {
    readonly continue: boolean
    readonly loopId: string | undefined
    readonly totalLimits: boolean
    readonly exclusive: boolean
  }
  /** With `continue`: a part of a merged wave of that run runs again. */
  readonly redrive?: RedriveWish
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly report: Report
  readonly logPrompt?: (title: string, text: string) => void
}
