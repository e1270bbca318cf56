import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Settings } from '../../core/config/settings.ts'
import { appendText } from '../../core/events-file/append.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import type { Hat, Scratchpad } from '../../core/hat.ts'
import { readRegularFile } from '../../core/regular-file.ts'

/** The scratchpad of an iteration: the leading hat's, else the run's; null where it is switched off. */
export function scratchpadOf(settings: Settings, lead: Hat | undefined): Scratchpad | null {
  const pad = lead?.scratchpad ?? settings.core.scratchpad
  return pad.enabled ? pad : null
}

const MAX_BYTES = 256 * 1024 * 1024

/** Its text; empty if there is none yet, or what is there is no file. */
export function readScratchpad(workspace: string, pad: Scratchpad | null): string {
  if (pad === null) return ''
  try {
    return readRegularFile(resolve(workspace, pad.path), MAX_BYTES).toString()
  } catch {
    return ''
  }
}

/** Adds guidance to its end. Throws the system's error. */
export function appendGuidance(workspace: string, pad: Scratchpad, texts: readonly string[]): void {
  const sections = texts.map((text) => `\n## Guidance from a person\n\n${text.trim()}\n`)
  appendText(resolve(workspace, pad.path), sections.join(''), { followLinks: true })
}

/** Notes that agents keep beside the scratchpad: `.ralph/agent/*.md`, relative to the workspace. */
export function listNotes(workspace: string, pad: Scratchpad | null): readonly string[] {
  const dir = join(workspace, RALPH_DIR, 'agent')
  const own = pad === null ? null : resolve(workspace, pad.path)
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.md') && join(dir, name) !== own)
      .map((name) => relative(workspace, join(dir, name)))
      .sort()
  } catch {
    return []
  }
}

/** Paths of all scratchpads that a config names, relative to the workspace where it says so. */
export function scratchpadPaths(settings: Settings): readonly string[] {
  const all = [settings.core.scratchpad, ...settings.hats.flatMap((hat) => hat.scratchpad ?? [])]
  return [...new Set(all.map((pad) => pad.path))]
}
