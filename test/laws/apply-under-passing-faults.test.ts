// The law of applying where a single thing passes by itself: a token that ended early, a lock, a platform that is busy.
// The first run has to finish the work.
import fc from 'fast-check'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { passing } from './apply-cases.ts'
import { holdApplyLaw } from './apply-lanes.ts'

const passingFaults: fc.Arbitrary<Fault[]> = fc
  .record({
    match: fc.record({ method: fc.constantFrom('POST', 'PATCH', 'DELETE', 'GET'), path: fc.constant('/admin/*') }),
    nth: fc.integer({ min: 1, max: 5 }),
    effect: fc.constantFrom(...passing),
  })
  .map((fault) => [fault])

holdApplyLaw('finishes at once where what fails passes by itself', passingFaults, 5)
