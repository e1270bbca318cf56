import type { Workspace } from './workspace.ts'

/** Puts a loop into a workspace: a dispatcher that fans out, workers, an aggregator; all played by the script `agent.sh`. */
export function furnishLoop(at: Workspace, of: { items: number; jobs: number; agent: string }): void {
  const payloads = Array.from({ length: of.items }, (_, i) => `p${i}`).join(' ')
  at.write(
    'ralph.yml',
    `
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: work.start}
features: {max_concurrency: ${of.jobs}, max_wave_items: ${of.items}, max_agents: ${2 * of.items}}
hats:
  disp: {name: disp, description: d, triggers: [work.start], publishes: [item.go]}
  work: {name: work, description: d, triggers: [item.go], publishes: [item.done], concurrency: ${of.jobs}}
  agg: {name: agg, description: d, triggers: [item.done], publishes: [LOOP_COMPLETE], aggregate: {mode: wait_for_all}}
`,
  )
  at.script(
    'agent.sh',
    `#!/bin/bash
now=$EPOCHREALTIME
emit() { echo '{"topic":"item.done","payload":"done"}' >> "$RALPH_EVENTS_FILE"; }
dispatch() { ralph wave emit item.go --payloads ${payloads}; }
${of.agent}`,
  )
}
