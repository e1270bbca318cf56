import { expect, test } from 'bun:test'
import { filterEnvironment } from '../../cli/world/environment.ts'

const env = {
  PATH: '/bin',
  HOME: '/home/u',
  LC_ALL: 'C',
  RALPH_BIN: '/ralph',
  MODEL_KEY: 'of the backend',
  MODEL_KEY_2: 'of nobody',
  NPM_TOKEN: 'of the user',
  AWS_SECRET: 'of the user',
}

test('an inherited environment is the whole one', () => {
  expect(filterEnvironment(env, 'inherit', [])).toBe(env)
})

test('a filtered one has what programs need, what the backend declares, and what ralph sets', () => {
  expect(Object.keys(filterEnvironment(env, { allow: [] }, ['MODEL_KEY']))).toEqual([
    'PATH',
    'HOME',
    'LC_ALL',
    'RALPH_BIN',
    'MODEL_KEY',
  ])
})

test('the user allows more by name, or by how names begin', () => {
  const kept = filterEnvironment(env, { allow: ['NPM_*', 'MODEL_KEY_2', 'AWS'] }, [])
  expect(Object.keys(kept)).toEqual(['PATH', 'HOME', 'LC_ALL', 'RALPH_BIN', 'MODEL_KEY_2', 'NPM_TOKEN'])
})
