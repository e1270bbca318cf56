// node langgraph.mjs JOBS PROGRAM [ARG…] < items: a graph that sends each line to a node which runs the program, at most
// JOBS at once. With AGGREGATOR set, a second node runs that program when all results are in.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph'

const [jobs, program, ...args] = process.argv.slice(2)
const items = readFileSync(0, 'utf8').trimEnd().split('\n')

const State = Annotation.Root({
  items: Annotation(),
  results: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }),
})

const graph = new StateGraph(State)
  .addNode('work', async ({ item, index }) => ({ results: [await run(program, [...args, item], index)] }))
  .addNode('gather', async () => {
    if (process.env.AGGREGATOR) await run(process.env.AGGREGATOR, [], null)
    return {}
  })
  .addConditionalEdges(
    START,
    (state) => state.items.map((item, index) => new Send('work', { item, index })),
    ['work'],
  )
  .addEdge('work', 'gather')
  .addEdge('gather', END)
  .compile()

const { results } = await graph.invoke({ items }, { maxConcurrency: Number(jobs) })
if (results.length !== items.length) process.exit(1)

function run(command, argv, index) {
  const env =
    index === null ? process.env : { ...process.env, RALPH_WAVE_WORKER: '1', RALPH_WAVE_INDEX: `${index}` }
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'], env })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text))
  })
}
