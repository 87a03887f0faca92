// Tags: only the standard ones of the core schema mean anything in a manifest.
import type { MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml'
import { isCredentialName } from './credentials.ts'
import { plainType, quoteCode, type ScalarType } from './describe-value.ts'
import type { Reading } from './reading.ts'

const scalarTags: Readonly<Record<string, ScalarType>> = {
  str: 'text',
  null: 'null',
  bool: 'boolean',
  int: 'integer',
  float: 'float',
}

/** True where a mapping or list has no tag, or the one it has anyway; else it is reported. */
export function hasOwnTag(walk: Reading, event: MappingEvent | SequenceEvent, own: 'map' | 'seq'): boolean {
  if (event.tagStart < 0) return true
  if (coreTag(walk, event) === own) return true
  reportTag(walk, event)
  return false
}

/**
 * The type that a tag gives a scalar. Undefined: the tag means nothing here, or the text is no such value; reported.
 */
export function taggedType(walk: Reading, event: ScalarEvent, text: string): ScalarType | undefined {
  const tag = coreTag(walk, event)
  const type = tag === '!' ? 'text' : tag === undefined ? undefined : scalarTags[tag]
  if (type === undefined) return reportTag(walk, event)
  const fits = type === 'text' || plainType(text) === type || (type === 'float' && plainType(text) === 'integer')
  return fits ? type : reportTag(walk, event)
}

/** `str`, `map`, … where the tag is one of the core schema's; `!` for the bare exclamation mark. */
function coreTag(walk: Reading, event: MappingEvent | SequenceEvent | ScalarEvent): string | undefined {
  const written = walk.text.slice(event.tagStart, event.tagEnd)
  if (written === '!') return '!'
  const standard = 'tag:yaml.org,2002:'
  if (written.startsWith('!<')) {
    const verbatim = written.slice(2, -1)
    return verbatim.startsWith(standard) ? verbatim.slice(standard.length) : undefined
  }
  const handle = /^!(?:[\w-]*!)?/.exec(written)?.[0] ?? '!'
  const directive = walk.document?.directives.find((each) => each.kind === 'tag' && each.handle === handle)
  const prefix = directive?.kind === 'tag' ? directive.prefix : handle === '!!' ? standard : undefined
  const whole = `${prefix ?? ''}${written.slice(handle.length)}`
  return whole.startsWith(standard) ? whole.slice(standard.length) : undefined
}

function reportTag(walk: Reading, event: MappingEvent | SequenceEvent | ScalarEvent): undefined {
  // A credential may begin like a tag.
  const written = quoteCode(walk.text.slice(event.tagStart, event.tagEnd))
  const what = isCredentialName(walk.field) ? 'A tag' : `The tag ${written}`
  return walk.report(
    'SVC1006',
    `${what} has no meaning here`,
    event.tagStart,
    'Remove it; a text that begins with `!` needs quotes.',
  )
}
