import { type Finished, RALPH, type Sandbox } from '../helpers/sandbox.ts'

/** Words in front of a command that may mount, in a world of its own: what is mounted goes with it. Null where that is not allowed. */
export const MOUNTS: readonly string[] | null =
  (
    [
      ['unshare', '-m'],
      ['unshare', '-rm'],
    ] as const
  ).find(mayMount) ?? null

/** Added to the names of cases that need it, so that a skipped one says why. */
export const WITH_MOUNTS = MOUNTS === null ? ' (skipped: nothing can be mounted here)' : ''

/** Runs a script of bash where it may mount. `$RALPH_BIN` is ralph; `CODE name` notes the exit code of the command before it. */
export const withMounts = (box: Sandbox, script: string): Promise<Finished> => {
  box.write('../script.sh', `CODE() { echo "$1 $?" >> "${box.path('codes')}"; }\n${script}\n`)
  return box.sh(`RALPH_BIN='${RALPH}' ${MOUNTS?.join(' ')} bash ../script.sh`)
}

/** The noted exit codes, by name. */
export const codes = (box: Sandbox): Record<string, number> =>
  Object.fromEntries(
    box
      .read('codes')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', code]) => [name, Number(code)]),
  )

function mayMount(words: readonly string[]): boolean {
  const probe =
    'd=$(mktemp -d) && mount -t tmpfs -o size=1m tmpfs "$d"; c=$?; umount "$d" 2>/dev/null; rmdir "$d"; exit $c'
  try {
    return Bun.spawnSync([...words, 'sh', '-c', probe]).exitCode === 0
  } catch {
    return false
  }
}
