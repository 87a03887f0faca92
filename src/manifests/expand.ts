// Puts values in the place of references, and keeps what is secret apart from what is not.

import type { Json } from '@svcsync/core/model/json.ts'
import { plainText, Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import type { ScalarEvent } from 'js-yaml'
import { spanOf } from './node-events.ts'
import type { Reading, Value } from './reading.ts'
import { emptyCredential, isText, type Unresolved } from './resolver.ts'
import type { TextShape } from './shape.ts'
import { isReference, joinParts, parseTemplate } from './template.ts'
import { subject } from './wording.ts'

/** In the place of a value that is missing here, and need not be there. */
export const withheld: unique symbol = Symbol('withheld')
type Expanded<T> = T | typeof withheld | undefined

const inClearHint = 'svcsync compares and shows names, references and settings: use `${var:…}`, or write the value.'

export function expandText(
  walk: Reading,
  shape: TextShape,
  event: ScalarEvent,
  text: string,
  at: number,
): Expanded<string | Sensitive> {
  const parts = parseTemplate(text)
  const sensitive = parts.some((part) => originOf(walk, part) !== undefined)
  if (shape.inClear && sensitive) return expandInClear(walk, event, text, at)
  const value = joinParts(parts, (part) => resolvePart(walk, event, text, part, at, shape.writeOnly))
  return typeof value === 'string' && sensitive ? new Sensitive(text, value) : value
}

/** Like `expandText` where only `${var:…}` is allowed. */
export function expandInClear(walk: Reading, event: ScalarEvent, text: string, at: number): Expanded<string> {
  const parts = parseTemplate(text)
  let clear = true
  for (const part of parts) {
    const origin = originOf(walk, part)
    if (origin === undefined || !isReference(part)) continue
    clear = false
    const offset = offsetIn(walk, event, part.index, text, at)
    const hint =
      part.scheme === 'var'
        ? `svcsync compares and shows them: write the value of \`${part.name}\` into the project file, or use \`--var\`.`
        : inClearHint
    walk.report('SVC1204', `${subject(walk)} cannot come from ${origin}`, offset, hint)
  }
  return clear ? joinParts(parts, (part) => resolvePart(walk, event, text, part, at)) : undefined
}

/** The origin of a value that must not be shown. Undefined: it may be shown. */
function originOf(walk: Reading, part: ReturnType<typeof parseTemplate>[number]): string | undefined {
  if (!isReference(part)) return undefined
  if (part.scheme !== 'var') return part.scheme === 'env' ? 'the environment' : 'a file'
  const value = walk.settings.resolver?.resolve(part, walk.path)
  return value instanceof Sensitive ? `\`${value.template}\`, the value of its variable` : undefined
}

function resolvePart(
  walk: Reading,
  event: ScalarEvent,
  text: string,
  part: Exclude<ReturnType<typeof parseTemplate>[number], string>,
  at: number,
  writeOnly = false,
): Expanded<string> {
  const result: Text | Unresolved = isReference(part) ? (walk.settings.resolver?.resolve(part, walk.path) ?? '') : part
  if (isText(result)) return plainText(result)
  const missing = walk.settings.withheld
  if (
    isReference(part) &&
    missing !== undefined &&
    (result.withheld === 'anywhere' || (result.withheld && writeOnly))
  ) {
    // The message about a variable of the target names the place in the target.
    if (part.scheme !== 'var') (writeOnly ? missing.needs : missing.notAsked).add(part.name)
    return withheld
  }
  return walk.report(result.code, result.message, offsetIn(walk, event, part.index, text, at), result.hint)
}

/** A credential: one whole reference to the environment or a file. Anything else is hidden, and not repeated. */
export function readSecret(walk: Reading, event: ScalarEvent, text: string, at: number): Value {
  const parts = parseTemplate(text)
  const [only] = parts
  if (parts.length === 1 && only !== undefined && isReference(only) && only.scheme !== 'var') {
    if (walk.settings.resolver === undefined) return text
    const value = resolvePart(walk, event, text, only, at, true)
    if (value === undefined) return undefined
    if (value === withheld) return new Sensitive(text, '', true) as unknown as Json
    // Pipelines set what they have not got to the empty text.
    if (value === '' && only.scheme === 'env' && walk.settings.withheld !== undefined) {
      walk.settings.withheld.needs.add(only.name)
      return new Sensitive(text, '', true) as unknown as Json
    }
    if (value !== '') return new Sensitive(text, value) as unknown as Json
    const what = only.scheme === 'env' ? `The environment variable \`${only.name}\`` : `The file \`${only.name}\``
    return walk.report(
      only.scheme === 'env' ? 'SVC1201' : 'SVC1202',
      `${what} is empty, but ${subject(walk)} needs a credential`,
      at,
      emptyCredential,
    )
  }
  const { start, end } = spanOf(walk.events, walk.index - 1, walk.text)
  walk.source.hide(start, end)
  return walk.report(
    'SVC1106',
    `${subject(walk)} holds a credential, and accepts only a whole reference`,
    at,
    'Write `${env:NAME}` or `${file:path}`; if the value was real, rotate it: it is in a file.',
  )
}

/** Offset of a part of a string, where the string stands in the text as it is. */
function offsetIn(walk: Reading, event: ScalarEvent, index: number, text: string, at: number): number {
  if (event.fast) return event.valueStart + index
  const inText = walk.text.indexOf(text.slice(index, index + 12), event.valueStart)
  return inText >= 0 && inText < event.valueEnd ? inText : at
}
