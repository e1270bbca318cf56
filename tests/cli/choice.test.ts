import { describe, expect, test } from 'bun:test'
import { chooseCommand } from '../../cli/choice.ts'
import { TREE } from '../../cli/tree.ts'

async function choose(line: string) {
  const argv = line.split(' ').filter((word) => word !== '')
  const choice = await chooseCommand(TREE, argv)
  return choice.kind === 'unknown'
    ? { unknown: choice.word, path: choice.path.join(' ') }
    : { path: choice.path.join(' '), words: choice.words.join(' ') }
}

describe('which command a command line names', () => {
  test.each([
    ['run -p x', 'run', '-p x'],
    ['wave run -j 2', 'wave run', '-j 2'],
    ['hats list --json', 'hats list', '--json'],
    // Global flags before the name go along.
    ['-c a.yml run -p x', 'run', '-c a.yml -p x'],
    ['-ca.yml -v --color never run', 'run', '-ca.yml -v --color never'],
    ['--config=a.yml -H run run', 'run', '--config=a.yml -H run'],
    ['hats -c f.yml list', 'hats list', '-c f.yml'],
    // No name: the root, which stands for run.
    ['', '', ''],
    ['-p x', '', '-p x'],
    ['-p tools', '', '-p tools'],
    ['-c a.yml', '', '-c a.yml'],
    ['-- run', '', '-- run'],
    // What follows a leaf's name is the leaf's.
    ['run emit', 'run', 'emit'],
    ['version -- wave', 'version', '-- wave'],
  ])('%p', async (line, path, words) => {
    expect(await choose(line)).toEqual({ path, words })
  })

  test.each([
    ['rum -p x', 'rum', ''],
    ['-v tools task list', 'tools', ''],
    ['wave emti t', 'emti', 'wave'],
    ['constructor', 'constructor', ''],
  ])('%p names none', async (line, unknown, path) => {
    expect(await choose(line)).toEqual({ unknown, path })
  })
})
