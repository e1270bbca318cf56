/** A duration for people: `0.4s`, `12s`, `1m 05s`, `2h 03m`. */
export function formatDuration(ms: number): string {
  if (ms < 9950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`
  const minutes = Math.floor(seconds / 60)
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`
}

/** A limit in seconds as a person would say it: `300s` is `5m`, `14400s` is `4h`, `90s` stays. */
export function formatLimit(seconds: number): string {
  if (seconds >= 3600 && seconds % 3600 === 0) return `${seconds / 3600}h`
  if (seconds >= 60 && seconds % 60 === 0) return `${seconds / 60}m`
  return `${seconds}s`
}

/** Local wall clock, `14:03:09`. `at` is Unix milliseconds. */
export function formatTime(at: number): string {
  const time = new Date(at)
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** Local date and wall clock, `2026-11-30 14:03:09`; what is no time stays as it is. */
export function formatStamp(ts: string): string {
  const at = Date.parse(ts)
  if (Number.isNaN(at)) return ts
  const time = new Date(at)
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${formatTime(at)}`
}

function two(n: number): string {
  return String(n).padStart(2, '0')
}
