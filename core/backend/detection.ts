import type { Detection, Look, Ran } from './contract.ts'

/**
 * Looks for `program` on PATH and asks its version. Found means that `program --version` exits 0; a program that this
 * machine may not start yet counts as found, without a version.
 */
export async function detectProgram(look: Look, program: string): Promise<Detection> {
  const path = look.which(program)
  if (path === null) return missing(program)
  const asked = await look.run(path, ['--version'])
  if (asked.refused !== undefined) {
    return { found: true, program, path, problems: [unaskedProblem(path, asked.refused)] }
  }
  if (asked.exitCode !== 0) return { found: false, program, path, problems: [brokenProblem(program, asked)] }
  const version = firstLine(asked.stdout) || firstLine(asked.stderr)
  return { found: true, program, path, problems: [], ...(version === '' ? {} : { version }) }
}

function missing(program: string): Detection {
  return {
    found: false,
    program,
    problems: [{ message: `${program} is not on PATH`, hint: `install ${program}, or set cli.command` }],
  }
}

function unaskedProblem(path: string, why: string): Detection['problems'][number] {
  return {
    message: `${path} was not asked its version: ${why}`,
    hint: 'RALPH_TRUST=1 says that it may be started',
  }
}

function brokenProblem(program: string, asked: Ran): Detection['problems'][number] {
  const end = asked.exitCode === null ? 'did not end by itself' : `exited ${asked.exitCode}`
  const said = firstLine(asked.stderr) || firstLine(asked.stdout)
  return {
    message: `${program} --version ${end}${said === '' ? '' : `: ${said}`}`,
    hint: `run it by hand; a backend that cannot tell its version is passed over by auto`,
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 200) ?? ''
}
