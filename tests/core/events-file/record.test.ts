import { describe, expect, test } from 'bun:test'
import {
  formatRecord,
  formatTime,
  formatWaveId,
  isWaveId,
  parseRecord,
} from '../../../core/events-file/record.ts'

describe('a line that is an event', () => {
  test.each([
    ['a string payload stays as it is', '{"topic":"t","payload":" a\\n"}', { topic: 't', payload: ' a\n' }],
    ['an absent payload is empty', '{"topic":"t"}', { topic: 't', payload: '' }],
    ['a null payload is empty', '{"topic":"t","payload":null}', { topic: 't', payload: '' }],
    ['a number becomes text', '{"topic":"t","payload":5}', { topic: 't', payload: '5' }],
    ['false becomes text', '{"topic":"t","payload":false}', { topic: 't', payload: 'false' }],
    [
      'an object becomes compact text',
      '{"topic":"t","payload":{ "a" : [1, 2] }}',
      { topic: 't', payload: '{"a":[1,2]}' },
    ],
    ['ts may be any text', '{"topic":"t","ts":"noon"}', { topic: 't', payload: '', ts: 'noon' }],
    ['a ts that is no string is left out', '{"topic":"t","ts":5}', { topic: 't', payload: '' }],
    ['an agent that is no string is left out', '{"topic":"t","agent":7}', { topic: 't', payload: '' }],
    ['agent', '{"topic":"t","agent":"r:3"}', { topic: 't', payload: '', agent: 'r:3' }],
    ['unknown fields are ignored', '{"zzz":1,"topic":"t"}', { topic: 't', payload: '' }],
    [
      "a worker's line",
      '{"topic":"t","wave_id":"w-1","wave_index":0}',
      { topic: 't', payload: '', wave: { id: 'w-1', index: 0 } },
    ],
    [
      'a dispatch line',
      '{"topic":"t","wave_id":"w-1","wave_index":4294967295,"wave_total":4294967295}',
      { topic: 't', payload: '', wave: { id: 'w-1', index: 4294967295, total: 4294967295 } },
    ],
    [
      'a merged line',
      '{"topic":"t","wave_id":"w-1","wave_index":1,"wave_status":"ok","duration_ms":5}',
      { topic: 't', payload: '', wave: { id: 'w-1', index: 1 }, waveStatus: 'ok' },
    ],
    [
      'a null wave field counts as absent',
      '{"topic":"t","wave_id":null,"wave_index":null}',
      { topic: 't', payload: '' },
    ],
    ['an index without an id is no tag', '{"topic":"t","wave_index":1}', { topic: 't', payload: '' }],
    [
      'an odd wave id is kept for the refusal',
      '{"topic":"t","wave_id":"../x"}',
      { topic: 't', payload: '', wave: { id: '../x' } },
    ],
  ])('%s', (_, line, event) => {
    expect(parseRecord(line)).toEqual({ kind: 'event', event })
  })
})

describe('a row of the loop is skipped', () => {
  test.each([
    ['{"topic":"task.start","hat":"loop","payload":"x"}'],
    ['{"topic":"iteration.summary","hat":"other"}'],
    ['{"topic":"loop.terminate"}'],
  ])('%s', (line) => {
    expect(parseRecord(line)).toEqual({ kind: 'skip' })
  })
})

describe('a bad line has a reason', () => {
  test.each([
    ['{oops', 'no valid JSON'],
    ['5', 'no JSON object'],
    ['[{"topic":"t"}]', 'no JSON object'],
    ['null', 'no JSON object'],
    ['{"payload":"x"}', 'no topic'],
    ['{"topic":5}', 'the topic is no string'],
    ['{"topic":""}', 'a topic must not be empty'],
    ['{"topic":"a b"}', 'a topic must not contain white space'],
    ['{"topic":"a\\tb"}', 'a topic must not contain white space'],
    ['{"topic":"a\\u0000b"}', 'a topic must not contain control characters'],
    [`{"topic":"${'x'.repeat(201)}"}`, 'a topic has at most 200 characters'],
    ['{"topic":"t","wave_id":5}', 'wave_id is no string'],
    ['{"topic":"t","wave_index":"0"}', 'wave_index is no integer from 0 to 4294967295'],
    ['{"topic":"t","wave_index":-1}', 'wave_index is no integer from 0 to 4294967295'],
    ['{"topic":"t","wave_total":1.5}', 'wave_total is no integer from 0 to 4294967295'],
    ['{"topic":"t","wave_total":4294967296}', 'wave_total is no integer from 0 to 4294967295'],
    ['{"topic":"t","wave_status":1}', 'wave_status is no string'],
    ['{"topic":"t","wave_error":{}}', 'wave_error is no string'],
  ])('%s', (line, reason) => {
    expect(parseRecord(line)).toMatchObject({ kind: 'bad', reason })
  })

  test('and an excerpt of 100 characters that cuts no character in two', () => {
    expect(parseRecord('🙂'.repeat(150))).toMatchObject({ kind: 'bad', excerpt: '🙂'.repeat(100) })
  })
})

describe('formatting', () => {
  const ts = '2026-01-02T03:04:05.000+00:00'

  test('a line has its fields in a fixed order and ends with a newline', () => {
    const wave = { id: 'w-1', index: 0, total: 2 }
    expect(formatRecord({ topic: 't', payload: 'p', ts, agent: 'r:1', wave })).toBe(
      `{"topic":"t","payload":"p","ts":"${ts}","agent":"r:1","wave_id":"w-1","wave_index":0,"wave_total":2}\n`,
    )
  })

  test('what is absent is left out, but the payload is null', () => {
    expect(formatRecord({ topic: 't', payload: null, ts })).toBe(
      `{"topic":"t","payload":null,"ts":"${ts}"}\n`,
    )
  })

  test('a merged failure carries status, duration, error and time limit', () => {
    const outcome = { status: 'timeout', durationMs: 5, error: 'timeout: 2 s', timeoutSeconds: 2 }
    expect(JSON.parse(formatRecord({ topic: 't', payload: '', ts, outcome }))).toEqual({
      topic: 't',
      payload: '',
      ts,
      wave_status: 'timeout',
      duration_ms: 5,
      wave_error: 'timeout: 2 s',
      timeout_seconds: 2,
    })
  })

  test('a JSON payload stands on one line, with all digits and its strings untouched', () => {
    const json = '{\n  "n": 12345678901234567890,\r\n\t"s": "a  \\" b \\\\" }'
    expect(formatRecord({ topic: 't', payload: { json }, ts })).toBe(
      `{"topic":"t","payload":{"n":12345678901234567890,"s":"a  \\" b \\\\"},"ts":"${ts}"}\n`,
    )
  })

  test('what is written is read back', () => {
    const event = { topic: 't', payload: 'a\n"🙂"\u2028', ts, agent: 'r:1', wave: { id: 'w-1', index: 3 } }
    expect(parseRecord(formatRecord(event).trimEnd())).toEqual({ kind: 'event', event })
  })

  test('times carry +00:00', () => {
    expect(formatTime(new Date(0))).toBe('1970-01-01T00:00:00.000+00:00')
  })
})

describe('wave ids', () => {
  test('new ones have the form w-<hex nanoseconds>-<pid>-<sequence>', () => {
    expect(formatWaveId(255n, 12, 3)).toBe('w-ff-12-3')
  })

  test.each([
    ['w-18ec-1-0', true],
    ['A_b.c-9', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['', false],
    ['.hidden', false],
    ['..', false],
    ['a/b', false],
    ['a b', false],
    ['ü', false],
    ['a\n', false],
  ])('%j may be an id: %p', (text, valid) => {
    expect(isWaveId(text)).toBe(valid)
  })
})
