// Reads the plan file that a command names.
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import type { SavedPlan } from '../core/saved/saved-plan.ts'
import { OperatorError } from '../errors/index.ts'
import { isUnread, largestDocument, readBounded } from '../files/read-bounded.ts'
import { parsePlanFile } from '../runs/saved/plan-file.ts'

/** Throws an OperatorError where there is no readable file, and a RefusedError where it is no whole and unaltered plan. */
export function readSavedPlan(file: string): SavedPlan
export function readSavedPlan<Plan>(file: string, parse: (bytes: Uint8Array, shown: string) => Plan): Plan
export function readSavedPlan(
  file: string,
  parse: (bytes: Uint8Array, shown: string) => unknown = parsePlanFile,
): unknown {
  const bytes = readBounded(resolve(cwd(), file), largestDocument)
  if (isUnread(bytes)) {
    throw new OperatorError('SVC2100', `The plan \`${file}\` cannot be read: ${bytes.reason}`, {
      cause: bytes.cause,
      hint: 'Name a file that `svcsync plan --out` has written.',
    })
  }
  return parse(bytes, file)
}
