// Adds a target or a ledger to the project file, and keeps every other byte.
import { canonicalJson, type Json } from '@svcsync/core/model/json.ts'
import { isMap, isScalar, parseDocument } from 'yaml'

/** `block`: the target's lines, not indented. Undefined: nothing can be added, as to braces or aliases. */
export function addTarget(text: string, name: string, block: string): string | undefined {
  const document = parseDocument(text, { logLevel: 'silent' })
  const targets = document.get('targets', true)
  if (document.errors.length > 0 || !isMap(targets) || targets.flow || targets.anchor !== undefined) return undefined
  const first = targets.items[0]?.key
  const start = isScalar(first) ? first.range?.[0] : undefined
  if (start === undefined) return undefined
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const heading = headingEnd(text, start)
  if (indent.trim() !== '' || indent === '' || heading === undefined) return undefined
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = block
    .trimEnd()
    .split('\n')
    .map((line) => `${indent}${line}${newline}`)
  const edited = text.slice(0, heading) + lines.join('') + text.slice(heading)
  return isUnchangedBut(edited, document.toJS() as Json, name, block) ? edited : undefined
}

/** Undefined: as of `addTarget`. */
export function addLedger(text: string): string | undefined {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const edited = `${text}${text.endsWith('\n') ? '' : newline}ledger: { remote: origin }${newline}`
  const [before, after] = [text, edited].map((each) => parseDocument(each, { logLevel: 'silent' }))
  if (before === undefined || after === undefined || after.errors.length > 0) return undefined
  const wanted = { ...(before.toJS() as Record<string, Json>), ledger: { remote: 'origin' } }
  return canonicalJson(after.toJS() as Json) === canonicalJson(wanted) ? edited : undefined
}

/** Behind the line of `targets:`: what stands above the first target stays above it. */
function headingEnd(text: string, start: number): number | undefined {
  const [heading] = [...text.slice(0, start).matchAll(/^targets:[^\n]*\n/gm)].slice(-1)
  return heading && heading.index + heading[0].length
}

/** The same as before, and this target. */
function isUnchangedBut(edited: string, before: Json, name: string, block: string): boolean {
  const document = parseDocument(edited, { logLevel: 'silent' })
  if (document.errors.length > 0) return false
  const wanted = structuredClone(before) as { targets: Record<string, Json> }
  const own = parseDocument(block, { logLevel: 'silent' }).toJS() as Record<string, Json>
  if (Object.hasOwn(wanted.targets, name) || own[name] === undefined) return false
  wanted.targets[name] = own[name]
  return canonicalJson(document.toJS() as Json) === canonicalJson(wanted as unknown as Json)
}
