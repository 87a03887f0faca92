// What is wrong with a tenant document, told with its place in the file.
import { type Document, isMap, isScalar, isSeq, type LineCounter } from 'yaml'
import { OperatorError } from '../../errors/index.ts'
import { showPath } from '../shape/shape.ts'

export type DocumentPath = readonly (string | number)[]

/** Turns the path of a value into `file:line:column: path`; without a file, into the path alone. */
export type Locate = (path: DocumentPath) => string

export const locateInObject: Locate = (path) => (path.length === 0 ? 'tenant' : `tenant.${showPath(path)}`)

export function locateInYaml(file: string, document: Document, lines: LineCounter): Locate {
  return (path) => {
    const offset = offsetOf(document.contents, path)
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}: ${showPath(path) || 'document'}`
  }
}

/** Offset of the key at the end of the path, or of the deepest part of the path that is there. */
function offsetOf(root: unknown, path: DocumentPath): number {
  let node = root
  let offset = 0
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step)
      if (pair === undefined) return offset
      offset = startOf(pair.key) ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step]
      offset = startOf(node) ?? offset
    } else return offset
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? (node.range?.[0] ?? undefined) : undefined
}

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
