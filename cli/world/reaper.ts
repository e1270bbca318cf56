import { delimiter, isAbsolute } from 'node:path'

/** Watches over the agents of one run in a process of its own: if ralph dies without a word, it ends them. */
export interface Reaper {
  /** Agents of these numbers are about to start: told before, since ralph may die in between. */
  expect(first: number, last: number): void
  /** An agent leads this process group. */
  watch(pgid: number): void
  /** The group has ended: its number may be given to a stranger. */
  forget(pgid: number): void
  /** The run has ended in order. */
  dismiss(): void
}

/**
 * The reaper learns of ralph's death by the end of its pipe, whatever killed it. It then ends every group that it was
 * told of, and, where there is a `/proc`, every process that carries the marker of one of its agents: tools start sessions
 * of their own. Agents with other numbers are not its own: somebody may have gone on with the run already.
 */
const SCRIPT = `
trap '' INT TERM HUP
groups=' ' first= last=
while read -r op n; do
  case $op in
    =)
      [ "\${first:-$n}" -lt "$n" ] || first=$n
      [ "\${last:-$n}" -gt "$n" ] || last=$n ;;
    +) groups="$groups$n " ;;
    -)
      for g in $n; do
        case $groups in *" $g "*) groups="\${groups%%" $g "*} \${groups#*" $g "}" ;; esac
      done ;;
    q) exit 0 ;;
  esac
done
[ -n "$first" ] || exit 0
marked() {
  grep -sHaozxE "RALPH_AGENT=$RUN:[0-9]+" /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' |
    while IFS=:/ read -r _ _ pid _ _ agent; do
      [ "$agent" -lt "$first" ] || [ "$agent" -gt "$last" ] || echo "$pid"
    done
}
finish() {
  for g in $groups; do kill -"$1" -"$g" 2>/dev/null; done
  for p in $(marked); do kill -"$1" "$p" 2>/dev/null; done
}
finish TERM
sleep 0.25
finish KILL
sleep 0.1
finish KILL
`

/** Null where there is no `sh`: agents then outlive a killed ralph until the next run ends them. */
export function startReaper(runId: string, env: Readonly<Record<string, string | undefined>>): Reaper | null {
  try {
    // A relative folder would be looked for in the workspace.
    const PATH = (env.PATH ?? '/usr/bin:/bin').split(delimiter).filter(isAbsolute).join(delimiter)
    const sh = Bun.which('sh', { PATH })
    if (sh === null) return null
    // Its own environment carries no marker, so that no sweep ends the reaper itself.
    const child = Bun.spawn([sh, '-c', SCRIPT.replace('$RUN', runId)], {
      env: { PATH },
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
      detached: true,
    })
    child.unref()
    const tell = (lines: string): void => {
      child.stdin.write(`${lines}\n`)
      child.stdin.flush()
    }
    const noteGroup = together(tell)
    let expected = 0
    return {
      expect(first, last) {
        if (last <= expected) return
        expected = last
        tell(first === last ? `= ${first}` : `= ${first}\n= ${last}`)
      },
      watch: (pgid) => noteGroup('+', pgid),
      forget: (pgid) => noteGroup('-', pgid),
      dismiss() {
        tell('q')
        child.stdin.end()
      },
    }
  } catch {
    return null
  }
}

/** What is noted in one turn of the program is told at its end, in order: each telling wakes the reaper. */
function together(tell: (lines: string) => void): (op: '+' | '-', pgid: number) => void {
  let lines = ''
  let lastOp = ''
  const flush = (): void => {
    tell(lines)
    lines = ''
    lastOp = ''
  }
  return (op, pgid) => {
    if (lines === '') queueMicrotask(flush)
    const between = lines === '' ? '' : '\n'
    lines += op === lastOp ? ` ${pgid}` : `${between}${op} ${pgid}`
    lastOp = op
  }
}
