import { expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { renderPrompt } from '../../../core/prompt/render.ts'
import { item, material, read } from './briefs.ts'

test.each([
  ['Say {}', '1', 'Say 1'],
  ['{} and {}', 'a', 'a and a'],
  ['no place', 'a', 'no place\n\na'],
  [null, 'a', 'a'],
  ['Say {}', '$& {} $1', 'Say $& {} $1'],
  ['{ }', 'a', '{ }\n\na'],
])('template %j with payload %j is %j and nothing else', (template, payload, prompt) => {
  expect(renderPrompt(item({ template, payload: inline(payload) }), material(), read)).toBe(prompt)
})
