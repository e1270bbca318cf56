import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../install.ts'
import { KEY, type Program } from './program.ts'

/** OpenCode. The package for the platform holds the program itself. */
export const opencode: Program = {
  name: 'opencode',
  model: 'scripted/model',
  overloaded: 503,
  usdAnAnswer: 0.00016,
  install: () =>
    install('opencode', {
      package: `opencode-${process.platform}-${process.arch}`,
      version: '1.18.33',
      file: 'bin/opencode',
    }),
  furnish(home, url) {
    const folder = join(home, '.config/opencode')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(configOf(url)))
    return {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }
  },
}

function configOf(url: string): object {
  const limit = { context: 200_000, output: 8000 }
  return {
    share: 'disabled',
    enabled_providers: ['scripted'],
    small_model: 'scripted/model',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: { model: { name: 'scripted', limit, cost: { input: 1, output: 2 } } },
      },
    },
  }
}
