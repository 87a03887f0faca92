// Fields and words that svcsync and an installation may call otherwise: told once for each name of a kind.
import { byCount, formatCount, inCode, type Problem } from '@svcsync/errors/index.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { placeOfField, placesOfElement } from '../model/desired.ts'
import { formatMet, isKnownWord, shownNamesKey, wireNameHint, wordsAt } from '../model/doubts.ts'
import { getOrInsert } from '../model/group-by.ts'
import { valueAt } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { DoubtedName, KnownNames } from '../model/known-names.ts'
import { nearMisses } from '../model/near-misses.ts'

interface DoubtedField extends Pick<DoubtedName, 'name' | 'isWord'> {
  readonly title: string
  readonly met: Set<string>
  compared: number
  held: number
  created: number
}

/** Fields that are declared, or sent along by an update. New objects are sent with the doubted name. */
export function findDoubtedFields(changes: readonly Change[]): Problem[] {
  const found = new Map<string, DoubtedField>()
  const entryOf = (title: string, { name, isWord, met }: DoubtedName): DoubtedField => {
    const none = { name, isWord, title, met: new Set<string>(), compared: 0, held: 0, created: 0 }
    const entry = getOrInsert(found, `${title} ${name}`, (): DoubtedField => none)
    for (const each of met) entry.met.add(each)
    return entry
  }
  for (const change of changes) {
    const isLeft = doubtedNames(change).length > 0
    const uncompared = (doubt: DoubtedName): boolean => change.unverifiable.includes(doubt.path.join('.'))
    for (const doubt of doubtsAbout(change).filter((each) => isLeft || uncompared(each))) {
      const entry = entryOf(kindOf(change).title, doubt)
      entry.compared += 1
      if (isLeft) entry.held += 1
    }
  }
  for (const [kind, names] of keysInDoubt(changes)) {
    const created = changes.filter(({ action, desired }) => action === 'create' && desired?.kind === kind)
    for (const { desired } of created)
      for (const doubt of names.values())
        if (valueAt(desired?.spec, doubt.path) != null) entryOf(kind.title, doubt).created += 1
  }
  return [...found.values()].map(doubtedField)
}

function keysInDoubt(changes: readonly Change[]): ReadonlyMap<Kind, ReadonlyMap<string, DoubtedName>> {
  const found = new Map<Kind, Map<string, DoubtedName>>()
  for (const { live } of changes) {
    for (const doubt of live?.doubted ?? [])
      if (live && !doubt.isWord) getOrInsert(found, live.kind, () => new Map()).set(doubt.name, doubt)
  }
  return found
}

/** Paths that are declared, and not compared for it. */
export function doubtedPaths(change: Change): readonly string[] {
  const paths = new Set(doubtsAbout(change).map(({ path }) => path.join('.')))
  return change.unverifiable.filter((path) => paths.has(path))
}

/** Names in doubt that an update would send along with what differs: it is not sent. */
export function doubtedNames(change: Change): readonly string[] {
  const isUpdate = change.action === 'update' && change.fields.length > 0
  return isUpdate ? doubtsAbout(change).map(({ name }) => name) : []
}

/** A word is in doubt only where it is declared. */
function doubtsAbout({ live, desired }: Change): readonly DoubtedName[] {
  if (live?.doubted === undefined) return []
  return live.doubted.filter(
    ({ path, name, isWord }) => !isWord || (desired !== undefined && valueAt(desired.spec, path) === name),
  )
}

function doubtedField({ name, isWord, title, met, compared, held, created }: DoubtedField): Problem {
  const of = `${title}: \`${name}\``
  const what = compared === 0 ? `${of} may have another name here` : `${of} of ${compared} cannot be compared`
  const why = isWord ? `the platform tells ${formatMet(met)} there` : `answers lack it, and hold ${formatMet(met)}`
  const rest =
    held === 0 ? '' : `; ${formatCount(held, 'update would send it, and is', 'updates would send it, and are')} skipped`
  const fresh = created === 0 ? '' : `; ${created} new ${byCount(created, 'object is', 'objects are')} sent with it`
  return {
    code: 'SVC1350',
    severity: 'warning',
    message: `${what}: ${why}, which svcsync does not know${rest}${fresh}`,
    hint: wireNameHint(name, [...met]),
  }
}

/** Errors: what would be sent might be a slip. `names`: of the run, with what answers told. */
export function findUnknownWords(changes: readonly Change[], names: KnownNames | undefined): Problem[] {
  return changes.flatMap((change): Problem[] => {
    const { desired, action } = change
    if (desired === undefined || (action !== 'create' && action !== 'update')) return []
    const kind = kindOf(change)
    const isShown = (word: string): boolean => names?.knows(shownNamesKey(kind), word) === true
    const inFields = wordsAt(kind).flatMap(({ path, schema }): Problem[] => {
      const word = valueAt(desired.spec, path)
      if (typeof word !== 'string' || isKnownWord(schema, word) || isShown(word)) return []
      return [{ ...unknownWord(word, schema.type === 'string' ? schema.enum : []), place: placeOfField(desired, path) }]
    })
    const inLists = change.collections.flatMap(({ collection, added }) =>
      added.flatMap((entry): Problem[] => {
        const { item } = entry.element
        const known = kind.collections[collection]?.words
        if (item === undefined || known === undefined || known.includes(item) || isShown(item)) return []
        return [{ ...unknownWord(item, known), ...placesOfElement(entry) }]
      }),
    )
    return [...inFields, ...inLists].map((problem) => ({ ...problem, address: change.address }))
  })
}

function unknownWord(word: string, known: readonly string[] = []): Problem {
  const [near] = nearMisses(word, known)
  const meant = near === undefined ? '' : `Did you mean ${inCode(near)}? `
  return {
    code: 'SVC1351',
    severity: 'error',
    message: `Neither svcsync nor this installation knows the word ${inCode(word)}`,
    hint: `${meant}If the installation's document has it, write \`${word}: ${word}\` into \`wireNames\` of the target.`,
  }
}
