/** The door through which commands start runs. */
export { type LoopRequest as RunRequest, openLoop as startRun } from './open-loop.ts'
export { openShellWave as startWaveRun, type ShellWaveRequest as WaveRunRequest } from './open-shell-wave.ts'
