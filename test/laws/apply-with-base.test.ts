// The law of applying where plans are held against a base: what is taken back is taken once, whatever fails, and a
// second run ends it.
import { casesWithBase, schedules } from './apply-cases.ts'
import { holdApplyLaw } from './apply-lanes.ts'

holdApplyLaw(
  'takes back what is declared no more, whatever fails, and a second run finishes the work',
  schedules,
  4,
  casesWithBase,
)
