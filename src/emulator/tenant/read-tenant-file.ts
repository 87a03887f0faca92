// Reads a tenant file, YAML or JSON, and remembers where everything stands for error messages.

import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, largestDocument, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { type DocumentPath, showPath } from '../shape/shape.ts'
import { type Locate, locateInObject } from './tenant-error.ts'

interface TenantSource {
  readonly document: unknown
  readonly locate: Locate
}

/** Throws OperatorError when the file cannot be read or parsed. */
export function readTenantFile(file: string): TenantSource {
  return file.endsWith('.json') ? readTenantJson(file) : readYaml(file, textOf(file))
}

function textOf(file: string): string {
  const text = readBoundedText(file, largestDocument)
  if (!isUnread(text)) return text
  throw new OperatorError('SVC2811', `the tenant file ${file} cannot be read: ${text.reason}`, {
    hint: 'Check its path: it counts from the working folder.',
    cause: text.cause,
  })
}

/** Large tenants come as JSON: it is read many times faster than YAML, at the price of places without lines. */
export function readTenantJson(file: string): TenantSource {
  const text = textOf(file)
  try {
    return { document: JSON.parse(text), locate: (path) => `${file}: ${locateInObject(path)}` }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'not JSON'
    throw new OperatorError('SVC2812', `the tenant file ${file} is not JSON: ${reason}`, { cause })
  }
}

function readYaml(file: string, text: string): TenantSource {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    const reason = error.message.replace(/ at line \d+[\s\S]*$/, '')
    throw new OperatorError('SVC2812', `${file}:${line}:${col}: the tenant file is not YAML: ${reason}`, {
      hint: 'Look at that place and just before it: mostly a quote or bracket is not closed, or the indentation is off.',
    })
  }
  return { document: document.toJS() ?? {}, locate: locateInYaml(file, document, lines) }
}

function locateInYaml(file: string, document: Document, lines: LineCounter): Locate {
  return (path) => {
    const { line, col } = lines.linePos(offsetOf(document, path))
    return `${file}:${line}:${col}: ${showPath(path) || 'document'}`
  }
}

/** Offset of the key at the end of the path, or of the deepest part of the path that is there. */
function offsetOf(document: Document, path: DocumentPath): number {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const [parent, step] = [document.getIn(path.slice(0, depth), true), path[depth]]
    const pairs = isMap(parent) ? parent.items : []
    const key = pairs.map((pair) => pair.key).find((each) => isScalar(each) && each.value === step)
    const node = isSeq(parent) && typeof step === 'number' ? parent.items[step] : key
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
