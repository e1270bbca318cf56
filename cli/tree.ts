import { defineCommand } from 'citty'
import { leaf } from './command.ts'

/** All commands, each loaded when it is chosen or listed. `default` stands for a missing name. */
export const TREE = defineCommand({
  meta: {
    name: 'ralph',
    description: 'Runs loops of AI coding agents, and waves of many agents at once',
  },
  default: 'run',
  subCommands: {
    run: async () => leaf((await import('./commands/run.ts')).run),
    emit: async () => leaf((await import('./commands/emit.ts')).emit),
    wave: defineCommand({
      meta: { name: 'wave', description: 'Work for many agents at once' },
      subCommands: {
        emit: async () => leaf((await import('./commands/wave-emit.ts')).waveEmit),
        run: async () => leaf((await import('./commands/wave-run.ts')).waveRun),
        results: async () => leaf((await import('./commands/wave-results.ts')).waveResults),
        redrive: async () => leaf((await import('./commands/wave-redrive.ts')).waveRedrive),
      },
    }),
    hats: defineCommand({
      meta: { name: 'hats', description: 'The hats of a config or of a collection' },
      default: 'list',
      subCommands: {
        list: async () => leaf((await import('./commands/hats-list.ts')).hatsList),
        show: async () => leaf((await import('./commands/hats-show.ts')).hatsShow),
        graph: async () => leaf((await import('./commands/hats-graph.ts')).hatsGraph),
        'list-presets': async () => leaf((await import('./commands/presets-list.ts')).presetsList),
        validate: async () => leaf((await import('./commands/hats-validate.ts')).hatsValidate),
      },
    }),
    presets: defineCommand({
      meta: { name: 'presets', description: 'Hat collections that -H takes by name' },
      default: 'list',
      subCommands: {
        list: async () => leaf((await import('./commands/presets-list.ts')).presetsList),
        show: async () => leaf((await import('./commands/presets-show.ts')).presetsShow),
      },
    }),
    plugins: defineCommand({
      meta: { name: 'plugins', description: 'Backends: the AI programs that ralph can run' },
      default: 'list',
      subCommands: {
        list: async () => leaf((await import('./commands/plugins-list.ts')).pluginsList),
        new: async () => leaf((await import('./commands/plugins-new.ts')).pluginsNew),
        check: async () => leaf((await import('./commands/plugins-check.ts')).pluginsCheck),
      },
    }),
    trust: async () => leaf((await import('./commands/trust.ts')).trust),
    runs: defineCommand({
      meta: { name: 'runs', description: 'The runs that are kept' },
      default: 'list',
      subCommands: {
        list: async () => leaf((await import('./commands/runs-list.ts')).runsList),
        show: async () => leaf((await import('./commands/runs-show.ts')).runsShow),
        resume: async () => leaf((await import('./commands/runs-resume.ts')).runsResume),
        rm: async () => leaf((await import('./commands/runs-rm.ts')).runsRm),
      },
    }),
    status: async () => leaf((await import('./commands/status.ts')).status),
    stop: async () => leaf((await import('./commands/stop.ts')).stop),
    events: async () => leaf((await import('./commands/events.ts')).events),
    init: async () => leaf((await import('./commands/init.ts')).init),
    clean: async () => leaf((await import('./commands/clean.ts')).clean),
    config: defineCommand({
      meta: { name: 'config', description: 'The configuration itself' },
      default: 'schema',
      subCommands: {
        schema: async () => leaf((await import('./commands/config-schema.ts')).configSchema),
      },
    }),
    completions: async () => leaf((await import('./commands/completions.ts')).completions),
    doctor: async () => leaf((await import('./commands/doctor.ts')).doctor),
    version: async () => leaf((await import('./commands/version.ts')).version),
  },
})

/** Examples on the pages of words that group commands; the empty word is `ralph` itself. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '': [
    "ralph run -p 'Make the failing tests pass'",
    "ralph run -H builtin:wave-review -p 'Review the last commit'",
    "git ls-files '*.ts' | ralph wave run --prompt 'List the public functions of {}'",
  ],
  wave: [
    "ls *.md | ralph wave run --prompt 'Correct the spelling of {}' -j 8",
    'ralph wave emit review.perspective --payloads security performance style',
  ],
  config: ['ralph config schema > ralph.schema.json'],
  hats: ['ralph hats list -H builtin:wave-review', 'ralph hats validate -c ralph.yml'],
  presets: ['ralph presets list'],
  runs: ['ralph runs', 'ralph runs show aa3bdda1', 'ralph clean --keep 20 --older-than 7d'],
  plugins: ['ralph plugins list --json', 'ralph plugins new mine', 'ralph plugins check ./mine.ts'],
}

/** Commands of ralph-orchestrator v2.10, and of our own contract, that this version does not have. */
export const NOT_AVAILABLE: ReadonlySet<string> = new Set([
  'bot',
  'code-task',
  'hooks',
  'loops',
  'mcp',
  'merge-loop',
  'plan',
  'preflight',
  'resume',
  'task',
  'tools',
  'tui',
  'tutorial',
  'wave end',
  'wave start',
  'web',
])
