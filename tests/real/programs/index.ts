import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '../../helpers/sandbox.ts'
import type { ModelServer } from '../model-server.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import type { Program } from './program.ts'

/**
 * The programs that are proved. Left out: `qwen`, whose releases need a newer Node than 20, and `copilot`, whose plugin is held
 * to what the program printed when it was measured.
 */
export const PROGRAMS: readonly Program[] = [claude, gemini, codex, opencode, pi]

/**
 * Environment of a `ralph` whose agents are the pinned program: it stands on PATH, talks to `model`, and leaves its files in
 * the sandbox's home.
 */
export async function settle(
  program: Program,
  box: Sandbox,
  model: Pick<ModelServer, 'url'>,
): Promise<Record<string, string>> {
  const bin = join(box.home, 'bin')
  const tmp = join(box.home, 'tmp')
  for (const folder of [bin, tmp]) mkdirSync(folder, { recursive: true })
  symlinkSync(await program.install(), join(bin, program.name))
  return {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    TMPDIR: tmp,
    ...program.furnish(box.home, model.url),
  }
}
