import { describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RALPH, type Sandbox, sandbox } from '../helpers/sandbox.ts'

/** What only the compiled program can show: that it stands alone, and that the folder it runs in has no say in it. */

const VERSION = /^ralph \d+\.\d+\.\d+\n$/

/** A run of one iteration whose agent is this shell script; its answer is the agent's last words. */
const AGENT = [
  '-b',
  'custom',
  '-c',
  'cli.command=sh',
  '-c',
  'cli.args=[agent.sh]',
  '-c',
  'cli.prompt_mode=stdin',
]

describe.concurrent('the compiled program', () => {
  test('says its version, in three ways', async () => {
    await using box = sandbox()
    for (const args of [['--version'], ['-V'], ['version']]) {
      const { code, stdout, stderr } = await box.ralph(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(VERSION)
    }
  })

  test('works after it was copied elsewhere, with nothing beside it', async () => {
    await using box = sandbox()
    const copy = join(box.dir, 'elsewhere', 'another-name')
    mkdirSync(dirname(copy))
    copyFileSync(RALPH, copy)
    chmodSync(copy, 0o755)
    expect(readdirSync(dirname(copy))).toEqual(['another-name'])

    const version = await box.sh('"$COPY" --version', { env: { COPY: copy } })
    expect(version.stdout).toMatch(VERSION)

    // Everything is inside: presets, the mock, and the commands that its agents call.
    const run = await box.sh('"$COPY" run -q -H builtin:wave-review -b mock -p "Review it"', {
      env: { COPY: copy },
    })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('3 events, 0 failures')
  })

  test('takes nothing from .env of the folder where it runs, and hands nothing of it to agents', async () => {
    await using box = sandbox()
    box.write('.env', 'RALPH_CONFIG=missing.yml\nFROM_DOT_ENV=yes\n')
    box.write('agent.sh', 'cat >/dev/null; printenv FROM_DOT_ENV || echo unset; echo LOOP_COMPLETE\n')
    expect(await answer(box)).toBe('unset')
  })

  test('runs no preload of a bunfig.toml, and does not mind a broken one', async () => {
    await using box = sandbox()
    box.write('pre.ts', 'await Bun.write("preloaded", "")\nconsole.log("PRELOADED")\n')
    for (const text of ['preload = ["./pre.ts"]\n', 'this is = = no toml [[[\n']) {
      box.write('bunfig.toml', text)
      const { code, stdout, stderr } = await box.ralph(['--version'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(VERSION)
      expect(box.exists('preloaded')).toBe(false)
    }
  })

  test('minds neither a tsconfig.json nor a package.json there, broken ones included', async () => {
    await using box = sandbox()
    box.write('shim.ts', 'throw new Error("SHIMMED")\n')
    const tsconfigs = ['{"compilerOptions": {"paths": {"*": ["./shim.ts"]}}}', '{ broken']
    const packages = ['{"name": "x", "imports": {"#a": "./shim.ts"}, "exports": "./shim.ts"}', '{ broken']
    for (const [i, tsconfig] of tsconfigs.entries()) {
      box.write('tsconfig.json', tsconfig)
      box.write('package.json', packages[i] ?? '')
      const { code, stdout } = await box.ralph(['run', '-q', '-b', 'mock', '-p', 'Count something'])
      expect(code).toBe(0)
      expect(stdout).not.toContain('SHIMMED')
    }
  })

  test('keeps BUN_OPTIONS and BUN_BE_BUN from agents of a run: they would turn ralph there into another program', async () => {
    await using box = sandbox()
    box.write(
      'agent.sh',
      'cat >/dev/null; env | grep -c "^BUN_[OB]"; "$RALPH_BIN" --version; echo LOOP_COMPLETE\n',
    )
    const said = await answer(box, { BUN_OPTIONS: '--smol', BUN_BE_BUN: '0' })
    expect(said).toMatch(/^0\nralph \d/)
  })

  test('keeps them from the agents of `ralph wave run` too', async () => {
    await using box = sandbox()
    box.write('agent.sh', 'cat >/dev/null; env | grep "^BUN_[OB]"; echo end\n')
    const { stdout } = await box.ralph(['wave', 'run', ...AGENT], {
      stdin: 'one\n',
      env: { BUN_OPTIONS: '--smol', BUN_BE_BUN: '0' },
    })
    expect(stdout).toBe('end\n')
  })
})

/** What the one agent of a run said before its promise. */
async function answer(box: Sandbox, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await box.ralph(['run', '-q', '-p', 'Speak', ...AGENT], { env })
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`)
  return stdout.trimEnd()
}
