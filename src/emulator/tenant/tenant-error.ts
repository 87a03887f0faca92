// A mistake in a tenant document, with its place in the file.
import { OperatorError } from '@svcsync/errors/index.ts'
import { type DocumentPath, showPath } from '../shape/shape.ts'

/** Turns the path of a value into `file:line:column: path`; without a file, into the path alone. */
export type Locate = (path: DocumentPath) => string

export const locateInObject: Locate = (path) => (path.length === 0 ? 'tenant' : `tenant.${showPath(path)}`)

export interface TenantFinding {
  readonly path: DocumentPath
  readonly message: string
}

const shownFindings = 20

export function tenantError(findings: readonly TenantFinding[], locate: Locate): OperatorError {
  const shown = findings.slice(0, shownFindings).map(({ path, message }) => `${locate(path)}: ${message}`)
  const more = findings.length > shownFindings ? [`and ${findings.length - shownFindings} more`] : []
  return new OperatorError('SVC2810', 'the tenant cannot be used:', {
    findings: [...shown, ...more],
    hint: 'docs/emulator.md describes the tenant file.',
  })
}
