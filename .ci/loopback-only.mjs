// A place whose only network is a loopback: what a real program tried to reach elsewhere would fail there.
import { spawnSync } from 'node:child_process'

const WAYS = [
  ['unshare', '-n'],
  ['unshare', '-rn'],
]
const UP = 'ip link set lo up'

/** Words to put before a command, so that it runs there; null where the system does not allow it. */
export function loopbackOnly() {
  if (process.platform !== 'linux') return null
  const way = WAYS.find(([program, ...args]) => {
    const { status } = spawnSync(program, [...args, 'sh', '-c', UP], { stdio: 'ignore' })
    return status === 0
  })
  return way === undefined ? null : [...way, 'sh', '-c', `${UP} && exec "$@"`, 'sh']
}
