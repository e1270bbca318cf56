import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../install.ts'
import { KEY, type Program } from './program.ts'

/** Gemini CLI, which the machine's Node runs. */
export const gemini: Program = {
  name: 'gemini',
  model: 'gemini-2.5-flash',
  overloaded: 503,
  usdAnAnswer: null,
  install: () =>
    install('gemini-cli', {
      package: '@google/gemini-cli',
      version: '0.61.0',
      file: 'bundle/gemini.js',
    }),
  furnish(home, url) {
    const folder = join(home, '.gemini')
    mkdirSync(folder)
    // Without a choice, another base URL makes it choose a way to log in that it then refuses.
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      // By itself it asks an overloaded model ten times, over four minutes.
      general: { enableAutoUpdate: false, maxAttempts: 2 },
    }
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
    return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY, NO_BROWSER: '1' }
  },
}
