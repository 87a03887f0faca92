// The law of applying under random faults of every sort, at reads and at writes.
import { schedules } from './apply-cases.ts'
import { holdApplyLaw } from './apply-lanes.ts'

holdApplyLaw('tells the truth whatever fails, and a second run finishes the work', schedules, 12)
