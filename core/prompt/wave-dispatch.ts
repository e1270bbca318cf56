import type { Hat, HatId } from '../hat.ts'
import { isConcrete, matches, type Pattern, type Topic } from '../topic.ts'
import type { Topology } from '../topology.ts'
import type { Material } from './brief.ts'
import { block, type Shell, waveBlock } from './hand-over.ts'
import { cell, section } from './text.ts'

/** A topic that hands work to many agents at once, and the hat whose workers they are. */
export interface WaveRoute {
  readonly topic: Topic
  readonly hat: Hat
  /** `splitter`: the hat alone is a wave. `scatter`: only together with other hats. */
  readonly kind: 'splitter' | 'scatter'
}

/**
 * Routes by which one who publishes `patterns` can dispatch a wave (contract/waves §15): topics for hats with
 * concurrency above 1, and topics for different hats that feed the same aggregator.
 */
export function waveRoutes(patterns: readonly Pattern[], topology: Topology): readonly WaveRoute[] {
  const routes = concreteTopics(patterns, topology).flatMap((topic) => {
    const hat = topology.receiver(topic)
    return hat === null || hat.aggregate ? [] : [{ topic, hat }]
  })
  const sharing = hatsSharingAnAggregator(new Set(routes.map(({ hat }) => hat)), topology)
  return routes.flatMap(({ topic, hat }): readonly WaveRoute[] => {
    if (hat.concurrency > 1) return [{ topic, hat, kind: 'splitter' }]
    return sharing.has(hat.id) ? [{ topic, hat, kind: 'scatter' }] : []
  })
}

/** The Wave Dispatch section, or an empty text if there is nobody to dispatch to. */
export function renderWaveDispatch(
  patterns: readonly Pattern[],
  topology: Topology,
  material: Pick<Material, 'backend' | 'topicNotes'>,
): string {
  const routes = waveRoutes(patterns, topology)
  if (routes.length === 0) return ''
  const splitter = routes.find(({ kind }) => kind === 'splitter')
  const together = new Set(routes.map(({ hat }) => hat.id)).size > 1 ? routes : []
  return section(
    '### Wave Dispatch',
    'Pieces of work that do not depend on each other can be dispatched together, as a wave. Each item goes to an agent of its own, all work at the same time, and their results come back together in a later iteration.',
    renderRoutes(routes, material),
    splitter ? renderSplitterUsage(splitter.topic, material.backend) : '',
    together.length > 0 ? renderScatterUsage(together, material.backend) : '',
    [
      '- The agent that gets an item sees that item and the instructions of its hat, nothing else: write into each item all that it needs.',
      '- Dispatch all items of a wave with one command, then end your turn.',
    ].join('\n'),
  )
}

/** Concrete topics as they are; of a pattern, the concrete triggers that it covers. */
function concreteTopics(patterns: readonly Pattern[], topology: Topology): readonly Topic[] {
  const triggers = topology.hats.flatMap((hat) => hat.triggers.filter(isConcrete))
  return [
    ...new Set(
      patterns.flatMap((pattern) =>
        isConcrete(pattern) ? [pattern] : triggers.filter((trigger) => matches(pattern, trigger)),
      ),
    ),
  ]
}

function hatsSharingAnAggregator(hats: ReadonlySet<Hat>, topology: Topology): ReadonlySet<HatId> {
  const feeding = new Map<HatId, HatId[]>()
  for (const hat of hats) {
    for (const aggregator of topology.downstream(hat.id).filter((to) => to.aggregate)) {
      feeding.set(aggregator.id, [...(feeding.get(aggregator.id) ?? []), hat.id])
    }
  }
  return new Set([...feeding.values()].filter((ids) => ids.length > 1).flat())
}

function renderRoutes(routes: readonly WaveRoute[], { topicNotes }: Pick<Material, 'topicNotes'>): string {
  return [
    '| topic | hat | what it does | at once |',
    '|---|---|---|---|',
    ...routes.map(({ topic, hat }) => {
      const what = [hat.description, topicNotes[topic]?.description ?? '']
        .map(cell)
        .filter(Boolean)
        .join(' · ')
      return `| \`${cell(topic)}\` | ${cell(hat.name)} (\`${hat.id}\`) | ${what} | ${hat.concurrency} |`
    }),
  ].join('\n')
}

function renderSplitterUsage(topic: Topic, shell: Shell): string {
  return [
    'Short items of one topic:',
    block(`ralph wave emit ${topic} --payloads 'first item' 'second item' 'third item'`),
    longer(shell),
    waveBlock(topic, ['{"payload": "first item"}', '{"payload": "second item"}'], shell),
  ].join('\n')
}

function renderScatterUsage(routes: readonly WaveRoute[], shell: Shell): string {
  const flags = routes.map(({ topic }) => `--event ${topic}='its item'`)
  const lines = routes.map(({ topic }) => JSON.stringify({ topic, payload: 'its item' }))
  return [
    'Items for several hats, any of these topics and each as often as needed:',
    block(`ralph wave emit ${flags.join(' ')}`),
    longer(shell),
    waveBlock(null, lines, shell),
  ].join('\n')
}

function longer(shell: Shell): string {
  const how = 'Longer items, or items with quotes or several lines, one JSON object a line'
  return shell.heredoc ? `${how}:` : `${how} in a new temporary file:`
}
