import type { Program } from './programs/program.ts'

/** Why a program cannot be had, on one line; null: it is there. Downloads it if need be. */
export async function whyMissing(program: Program): Promise<string | null> {
  try {
    await program.install()
    return null
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
  }
}
