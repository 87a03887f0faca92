// Fields that an installation may tell under a name that nobody knows: each is told once for a kind.
import { byCount, formatCount, type Problem } from '@svcsync/errors/index.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { howToName, shownMet } from '../model/doubts.ts'
import { getOrInsert } from '../model/group-by.ts'
import { valueAt } from '../model/json.ts'
import type { Kind } from '../model/kind.ts'
import type { Doubt } from '../model/known-names.ts'

interface Found extends Pick<Doubt, 'name' | 'isWord'> {
  readonly title: string
  readonly met: Set<string>
  compared: number
  held: number
  created: number
}

/** Declared, or sent along by an update. What is new is sent with the doubted name. */
export function findDoubtedFields(changes: readonly Change[]): Problem[] {
  const found = new Map<string, Found>()
  const entryOf = (title: string, { name, isWord, met }: Doubt): Found => {
    const none = { name, isWord, title, met: new Set<string>(), compared: 0, held: 0, created: 0 }
    const entry = getOrInsert(found, `${title} ${name}`, (): Found => none)
    for (const each of met) entry.met.add(each)
    return entry
  }
  for (const change of changes) {
    const isLeft = heldBy(change).length > 0
    const uncompared = (doubt: Doubt): boolean => change.unverifiable.includes(doubt.path.join('.'))
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
  return [...found.values()].map(problemOf)
}

function keysInDoubt(changes: readonly Change[]): ReadonlyMap<Kind, ReadonlyMap<string, Doubt>> {
  const found = new Map<Kind, Map<string, Doubt>>()
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
export function heldBy(change: Change): readonly string[] {
  const isUpdate = change.action === 'update' && change.fields.length > 0
  return isUpdate ? doubtsAbout(change).map(({ name }) => name) : []
}

/** A word is in doubt only where it is declared. */
function doubtsAbout({ live, desired }: Change): readonly Doubt[] {
  if (live?.doubted === undefined) return []
  return live.doubted.filter(
    ({ path, name, isWord }) => !isWord || (desired !== undefined && valueAt(desired.spec, path) === name),
  )
}

function problemOf({ name, isWord, title, met, compared, held, created }: Found): Problem {
  const of = `${title}: \`${name}\``
  const what = compared === 0 ? `${of} may have another name here` : `${of} of ${compared} cannot be compared`
  const why = isWord ? `the platform tells ${shownMet(met)} there` : `answers lack it, and hold ${shownMet(met)}`
  const rest =
    held === 0 ? '' : `; ${formatCount(held, 'update would send it, and is', 'updates would send it, and are')} skipped`
  return {
    code: 'SVC1350',
    severity: 'warning',
    message: `${what}: ${why}, which svcsync does not know${rest}${created === 0 ? '' : `; ${created} new ${byCount(created, 'object is', 'objects are')} sent with it`}`,
    hint: howToName(name, [...met]),
  }
}
