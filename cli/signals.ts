/** The signals that end a run. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Exit codes by signal: 128 and its number. */
export const SIGNAL_EXIT: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

export interface SignalTargets {
  /** The first signal: agents are ended, the state is kept. Called once. */
  readonly end: (signal: EndSignal) => void
  /** Any further one: everything is killed at once. */
  readonly force: (signal: EndSignal) => void
}

/** Where signals come from; `process` in the program. */
export interface SignalSource {
  on(signal: EndSignal, listener: () => void): unknown
  off(signal: EndSignal, listener: () => void): unknown
}

/** Listens for the signals that end a run until it is disposed. */
export function listenForSignals(targets: SignalTargets, source: SignalSource = process): Disposable {
  let first = true
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      if (first) targets.end(signal)
      else targets.force(signal)
      first = false
    }
    source.on(signal, listener)
    return { signal, listener }
  })
  return {
    [Symbol.dispose]() {
      for (const { signal, listener } of listeners) source.off(signal, listener)
    },
  }
}

const SIGNALS: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
