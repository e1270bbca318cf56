/** The door through which commands start runs. */
export { openLoop as startRun } from './open-loop.ts'
export { openShellWave as startWaveRun, type ShellWaveRequest as WaveRunRequest } from './open-shell-wave.ts'
export type { LoopRequest as RunRequest } from './request.ts'
