// The law of applying where the answers of writes are lost, carried out or not: what tempts most to do a thing twice.
import fc from 'fast-check'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { lostKinds } from './apply-cases.ts'
import { holdApplyLaw } from './apply-lanes.ts'

const lostAnswers: fc.Arbitrary<Fault[]> = fc.array(
  fc.record({
    match: fc.record({ method: fc.constantFrom('POST', 'POST', 'PATCH', 'DELETE') }),
    nth: fc.integer({ min: 1, max: 6 }),
    count: fc.constantFrom(1, 1, 2),
    effect: fc.record({
      kind: fc.constantFrom(...lostKinds, ...lostKinds, 'status' as const, 'cut' as const),
      status: fc.constant(502),
      carriedOut: fc.boolean(),
    }),
  }),
  { minLength: 1, maxLength: 4 },
)

holdApplyLaw('does nothing twice whatever answer is lost, and a second run finishes the work', lostAnswers, 9)
