// The plan files that commands name: read, and written.

import { resolve } from 'node:path'
import { cwd } from 'node:process'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, largestDocument, readBounded } from '@svcsync/files/read-bounded.ts'
import { missingOption } from '../program/options.ts'

/** Throws an OperatorError for no readable file, and a RefusedError for no whole and unaltered plan. */
export function readSavedPlan<Plan>(file: string, parse: (bytes: Uint8Array, shown: string) => Plan): Plan {
  const bytes = readBounded(resolve(cwd(), file), largestDocument)
  if (isUnread(bytes))
    throw new OperatorError('SVC2100', `The plan \`${file}\` cannot be read: ${bytes.reason}`, {
      cause: bytes.cause,
      hint: 'Name a file that `svcsync plan --out` has written.',
    })
  return parse(bytes, file)
}

export function refuseIdleSaving({ out, maxAge }: { readonly out?: string; readonly maxAge?: number }): void {
  if (out === '-')
    throw new OperatorError('SVC2101', '`--out` needs a file, not `-`', {
      hint: 'Use `--format json` to print the plan; printed plans cannot be applied.',
    })
  if (out !== undefined && isOtherFile(resolve(cwd(), out)))
    throw new OperatorError('SVC2101', `The plan cannot be written to \`${out}\`: it exists, and is no plan`, {
      hint: 'Nothing was read or saved. Name another file: svcsync replaces only plans.',
    })
  if (out === undefined && maxAge !== undefined)
    throw missingOption('--max-age', '`--out`', 'Add `--out FILE`, or remove `--max-age`.')
}

/** A slip suffices to name a manifest or the project file. An empty file is no loss. */
function isOtherFile(path: string): boolean {
  const there = readBounded(path, largestDocument)
  if (isUnread(there)) return there.code === 'EFBIG'
  return there.length > 0 && !/^\{\s*"formatVersion"/.test(there.toString('latin1', 0, 40))
}
