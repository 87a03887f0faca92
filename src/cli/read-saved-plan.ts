// Reads the plan file that a command names.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import type { SavedPlan } from '../core/saved-plan.ts'
import { OperatorError } from '../errors/index.ts'
import { parsePlanFile } from '../runs/plan-file.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'the system does not let svcsync',
}

/** Throws an OperatorError where there is no readable file, and a RefusedError where it is no whole and unaltered plan. */
export function readSavedPlan(file: string): SavedPlan {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(resolve(cwd(), file))
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code)
    throw new OperatorError('SVC2100', `The plan \`${file}\` cannot be read: ${reasons[code] ?? code}`, {
      cause: error,
      hint: 'Name a file that `svcsync plan --out` has written.',
    })
  }
  return parsePlanFile(bytes, file)
}
