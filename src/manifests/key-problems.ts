// Keys that do not belong where they stand: unknown, misplaced, or no keys at all.
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { nearMisses } from '@svcsync/core/model/near-misses.ts'
import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { plainType, quoteCode } from './describe-value.ts'
import type { Building, Reading } from './reading.ts'
import type { MappingShape } from './shape.ts'

export function oddKey(walk: Reading, key: Event, at: number): void {
  if (key.type === EVENT_ID.SCALAR) {
    const tag = walk.text.slice(key.tagStart, key.tagEnd)
    walk.report('SVC1006', `A key takes no tag, but there is ${quoteCode(tag)}`, key.tagStart, 'Remove it.')
  } else {
    const what = key.type === EVENT_ID.ALIAS ? 'an alias' : key.type === EVENT_ID.MAPPING ? 'a mapping' : 'a list'
    const hint =
      key.type === EVENT_ID.MAPPING ? 'A text that begins with `{` needs quotes, `"${…}"` for instance.' : undefined
    walk.report('SVC1102', `A key must be a text, but there is ${what}`, at, hint)
  }
  walk.skipFrom(walk.index)
  walk.skipFrom(walk.index)
}

/** A key that the mapping does not know. Called with the walk at its value. */
export function unknownKey(walk: Reading, building: Building, key: ScalarEvent, name: string, at: number): void {
  const { shape, holder } = building
  building.seen ??= new Map()
  if (building.seen.has(name)) return
  building.seen.set(name, at)
  const type = key.style === SCALAR_STYLE.PLAIN ? plainType(name) : 'text'
  if (name === '__proto__') {
    walk.report('SVC1101', '`__proto__` cannot be a key', at, 'Remove it.')
    return
  }
  if (type !== 'text') {
    const there = type === 'null' ? 'nothing' : quoteCode(name)
    walk.report('SVC1102', `A key must be a text, but there is ${there}`, at, 'Put quotes around it.')
    return
  }
  if (shape.type === 'map') return
  if (name === 'absent' && shape.section !== undefined && reportAbsent(walk, shape.section, at)) return
  if (name === 'previously' && shape.section !== undefined) {
    reportRenaming(walk, shape.section, at)
    return
  }
  walk.report(
    'SVC1101',
    `${quoteCode(name)} is not a key ${placeOf(walk, shape, holder)}`,
    at,
    hintFor(walk, shape, holder, name),
  )
}

function placeOf(walk: Reading, shape: MappingShape, holder: string): string {
  if (shape.section !== undefined) return `of an item in \`${shape.section.section.key}\``
  return holder === '' ? `of ${walk.settings.root}` : `of ${quoteCode(holder)}`
}

function hintFor(walk: Reading, shape: MappingShape, holder: string, name: string): string {
  const keys = [...shape.fields.keys()]
  if (name === 'inherit' && shape.environment !== undefined) return '`common` is what the environments inherit.'
  if (name === 'others' && holder === 'privileges') {
    return '`manage: { privileges: whole }` beside `privileges` empties levels that are not listed.'
  }
  const near = nearMisses(name, keys)
  const meant = near.length === 0 ? undefined : `id you mean ${near.map(quoteCode).join(' or ')}?`
  const homes = walk.settings.homes.get(name)
  const home = homes && `${quoteCode(name)} belongs to ${homes.join(' or ')}; check the indentation.`
  if (meant !== undefined) return home === undefined ? `D${meant}` : `${home} Or d${meant}`
  const known = `Known keys: ${keys.map(quoteCode).join(', ')}.`
  const others = walk.settings.homes.get(`${holder}.${name}`)
  if (others !== undefined) return `${quoteCode(name)} is for ${others.join(' and ')}. ${known}`
  return home ?? known
}

/** A deletion of what cannot be deleted, rather than a key that nobody knows. */
function reportAbsent(walk: Reading, { kind, section }: Pick<Declaration, 'kind' | 'section'>, at: number): boolean {
  if (section.partial || kind.lifecycle === 'full') return false
  const what = kind.title.toLowerCase()
  walk.report(
    'SVC1304',
    kind.lifecycle === 'kept'
      ? `The Svc platform offers no deletion of ${what}`
      : `svcsync finds the items of \`${section.key}\` on the Svc platform, and never creates or deletes them`,
    at,
    kind.lifecycle === 'kept'
      ? 'Remove the item: svcsync then leaves the object alone. Delete the object by hand.'
      : 'Remove `absent`, or the whole item.',
  )
  return true
}

/** Reports the renaming of an object with a permanent name, rather than an unknown key. */
function reportRenaming(walk: Reading, { kind, section }: Pick<Declaration, 'kind' | 'section'>, at: number): void {
  const found = kind.lifecycle === 'found'
  walk.report(
    'SVC1404',
    found
      ? `svcsync finds the items of \`${section.key}\` on the Svc platform by their current names`
      : `The Svc platform has no way to change a \`${section.identity}\``,
    at,
    found
      ? 'Remove `previously`, and write the current name.'
      : 'Declare a new object, and the old one with `absent: true`.',
  )
}
