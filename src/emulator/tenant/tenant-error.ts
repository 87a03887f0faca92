// A mistake in a tenant document, with its place in the file.
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { type ShapeFailure, showPath } from '../shape/shape.ts'

/** The path of a value, for a tenant that comes from no file: of one, `file:line:column: path`. */
export function locateInObject(path: Path): string {
  return path.length === 0 ? 'tenant' : `tenant.${showPath(path)}`
}

const shownFindings = 20

export function tenantError(findings: readonly ShapeFailure[], locate: typeof locateInObject): OperatorError {
  const lines = findings.map(({ path, message }) => `${locate(path)}: ${message}`)
  return new OperatorError('SVC2810', 'the tenant cannot be used:', {
    findings: cutLines(lines, shownFindings),
    hint: 'docs/emulator.md describes the tenant file.',
  })
}
