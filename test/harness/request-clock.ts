// A platform's clock that goes on by one with each request: what ends or begins after some time does so after as many
// requests, however fast the machine is.
import type { Clock } from '../../src/emulator/clock.ts'

export function requestClock(): Clock {
  const startMs = Date.parse('2026-01-01T00:00:00Z')
  let arrived = 0
  return {
    now: () => startMs + arrived,
    // Asked once for each request, when it arrives.
    elapsed: () => ++arrived,
    until: async () => {},
  }
}
