import { readdirSync, readFileSync } from 'node:fs'
import type { Sandbox } from '../helpers/sandbox.ts'

/** Living processes that carry the sandbox's home in their environment, with their command lines. */
export function processesOf(box: Sandbox): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const isZombie = /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        if (isZombie || !environment.includes(`HOME=${box.home}`)) return []
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
      } catch {
        return []
      }
    })
}

/** What was left where `ralph` puts temporary files and workers' files, and in the workspace beside `ralph.yml`. */
export function filesOf(box: Sandbox): readonly string[] {
  const temporary = readdirSync(`${box.home}/tmp`).filter((name) => name.startsWith('ralph'))
  const workers = box.exists('.ralph')
    ? readdirSync(box.path('.ralph')).filter((name) => name.startsWith('wave-'))
    : []
  const others = readdirSync(box.dir).filter((name) => name !== '.ralph' && name !== 'ralph.yml')
  return [...temporary, ...workers, ...others]
}
