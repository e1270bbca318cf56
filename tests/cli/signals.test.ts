import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { listenForSignals, SIGNAL_EXIT } from '../../cli/signals.ts'

function listening() {
  const source = new EventEmitter()
  const seen: string[] = []
  const listener = listenForSignals(
    { end: (signal) => seen.push(`end ${signal}`), force: (signal) => seen.push(`force ${signal}`) },
    source,
  )
  return { source, seen, listener }
}

describe('signals', () => {
  test('the first one ends the run, any further one forces, whichever they are', () => {
    const { source, seen } = listening()
    source.emit('SIGINT')
    source.emit('SIGTERM')
    source.emit('SIGINT')
    expect(seen).toEqual(['end SIGINT', 'force SIGTERM', 'force SIGINT'])
  })

  test('nobody listens after the end', () => {
    const { source, seen, listener } = listening()
    listener[Symbol.dispose]()
    for (const signal of Object.keys(SIGNAL_EXIT)) expect(source.listenerCount(signal)).toBe(0)
    source.emit('SIGHUP')
    expect(seen).toEqual([])
  })

  test('each has its exit code', () => {
    expect(SIGNAL_EXIT).toEqual({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })
  })
})
