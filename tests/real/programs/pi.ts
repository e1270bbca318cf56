import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../install.ts'
import { KEY, type Program } from './program.ts'

/** The pi coding agent: the last release that runs on Node 20. */
export const pi: Program = {
  name: 'pi',
  model: 'scripted/model',
  overloaded: 503,
  usdAnAnswer: 0.000164,
  install: () =>
    install('pi', {
      package: '@mariozechner/pi-coding-agent',
      version: '0.73.1',
      file: 'dist/cli.js',
    }),
  furnish(home, url) {
    const folder = join(home, '.pi/agent')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'models.json'), JSON.stringify(modelsOf(url)))
    // By itself it waits for fifteen seconds in three tries.
    writeFileSync(
      join(folder, 'settings.json'),
      JSON.stringify({ retry: { maxRetries: 1, baseDelayMs: 500 } }),
    )
    return { PI_OFFLINE: '1' }
  },
}

function modelsOf(url: string): object {
  const model = {
    id: 'model',
    name: 'scripted',
    reasoning: false,
    input: ['text'],
    contextWindow: 200_000,
    maxTokens: 8000,
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 },
  }
  const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: KEY, models: [model] }
  return { providers: { scripted: provider } }
}
