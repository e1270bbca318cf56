import type { Sandbox } from '../helpers/sandbox.ts'

/** Items of each wave of a crash round. */
export const ITEMS = 6

const CONFIG = `
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: work.start, max_consecutive_failures: 50, max_silent_iterations: 0}
features: {max_concurrency: 4}
hats:
  disp: {name: disp, description: d, triggers: [work.start], publishes: [item.go]}
  work: {name: work, description: d, triggers: [item.go], publishes: [mid.go, item.done], concurrency: 4}
  mid: {name: mid, description: d, triggers: [mid.go], publishes: [item.done], concurrency: 3}
  agg: {name: agg, description: d, triggers: [item.done], publishes: [LOOP_COMPLETE], aggregate: {mode: wait_for_all},
    instructions: SUM-THEM-UP}
`

/**
 * A dispatcher, workers of which some fail, some leave processes behind and some pass their result to a second stage, and an
 * aggregator. Each says in \`said\` what its item gave, once it has given it.
 */
const AGENT = `#!/bin/bash
prompt=$(cat)
if [ -z "$RALPH_WAVE_WORKER" ]; then
  case $prompt in
    *SUM-THEM-UP*) ralph emit LOOP_COMPLETE done ;;
    *) ralph wave emit item.go --payloads ${Array.from({ length: ITEMS }, (_, i) => `p${i}`).join(' ')} ;;
  esac
  exit
fi
case $((RANDOM % 8)) in
  0) sleep 0.2 ;;
  1) setsid sleep 300 & ;;
  2) (sleep 300 &) ;;
  *) sleep 0.0$((RANDOM % 10)) ;;
esac
case $RALPH_WAVE_ID in
  *.2) topic=item.done ;;
  *) [ $((RALPH_WAVE_INDEX % 2)) = 0 ] && topic=mid.go || topic=item.done ;;
esac
[ "$RALPH_WAVE_INDEX" = 5 ] && exit 3
ralph emit "$topic" "$RALPH_WAVE_ID/$RALPH_WAVE_INDEX" && echo "$RALPH_WAVE_ID/$RALPH_WAVE_INDEX" >> said
`

/** Puts a workspace there in which \`ralph run\` plays two stages of waves and completes. */
export function furnish(box: Sandbox): void {
  box.write('ralph.yml', CONFIG)
  box.script('agent.sh', AGENT)
}
