/**
 * Least time between two starts of a program that asks a model over the network, in milliseconds. Each brings one to four
 * seconds of start-up and its first requests: many at the same instant meet a provider's burst limit, and each other.
 */
export const START_GAP_MS = 200
