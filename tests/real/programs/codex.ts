import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../install.ts'
import { KEY, type Program } from './program.ts'

const VERSION = '0.171.0'
const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** Codex CLI. The release for the platform is a version of its own of the one package, and holds the program itself. */
export const codex: Program = {
  name: 'codex',
  model: 'gpt-5-codex',
  overloaded: 503,
  usdAnAnswer: null,
  install() {
    const platform = `${process.platform}-${process.arch}`
    return install('codex', {
      package: '@openai/codex',
      version: `${VERSION}-${platform}`,
      file: `vendor/${TARGETS[platform] ?? platform}/bin/codex`,
    })
  },
  furnish(home, url) {
    const folder = join(home, '.codex')
    mkdirSync(folder)
    writeFileSync(join(folder, 'config.toml'), configOf(url))
    return { SCRIPTED_KEY: KEY }
  },
}

function configOf(url: string): string {
  return `
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
# By itself it asks an overloaded model thirty times.
request_max_retries = 1
stream_max_retries = 1
`
}
