// Finds the live objects that prune deletes: they match a pattern of the project file, and no manifest declares them.
import { formatPlace, type Place } from '@svcsync/errors/index.ts'
import { type Change, noDifferences } from '../compare/change.ts'
import {
  type Address,
  addressMatcher,
  type NormaliseSvcId,
  objectAddress,
  selectionOf,
  svcIdMatcher,
} from '../model/address.ts'
import { type Declaration, identityOf } from '../model/declaration.ts'
import { hasUnknownLevel, subjectKey } from '../model/elements.ts'
import type { Kind } from '../model/kind.ts'
import type { Live, Unreadable } from '../model/live.ts'
import { plainText, type Text } from '../model/sensitive.ts'

interface KeptObject {
  readonly address: Address
  /** The rest of a sentence after "kept: ". */
  readonly reason: string
}

export interface PruneFindings {
  readonly orphans: readonly Change[]
  readonly kept: readonly KeptObject[]
  /** Lists, and matching objects, that could not be read: nothing of them is deleted. */
  readonly unreadable: readonly Unreadable[]
  readonly totals: ReadonlyMap<string, number>
}

interface PruneSettings {
  readonly normalise: NormaliseSvcId
  readonly declarations: readonly Declaration[]
  readonly mentions: ReadonlyMap<string, Place>
  /** True if the project declares the account external. */
  isExternal(svcId: string): boolean
  readonly protect: readonly Text[]
  /** Globs over addresses; of each list one matches. */
  readonly selections: readonly (readonly string[])[]
  readonly kinds: Parameters<typeof addressMatcher>[1]
}

/** Decides about a live object. Undefined: it is declared, unmatched, or not selected. */
type PruneJudge = (kind: Kind, name: string) => { readonly pattern: string } | KeptObject | undefined

/** Why a live object stays although nothing declares it. Undefined: nothing speaks for it. */
export function reasonsToKeep(
  settings: Pick<PruneSettings, 'normalise' | 'mentions' | 'isExternal' | 'protect' | 'kinds'>,
): (address: Address, name: string) => string | undefined {
  const { normalise, mentions, isExternal, protect, kinds } = settings
  const protectors = protect.map((glob) => ({ glob, matches: addressMatcher(plainText(glob), kinds) }))
  return (address, name) => {
    const place: Place | undefined = mentions.get(normalise(name))
    if (place !== undefined) return `a manifest uses it at ${formatPlace(place)}`
    if (isExternal(name)) return '`accounts.external` says that it comes from elsewhere'
    const glob = protectors.find(({ matches }) => matches(address))?.glob
    return glob === undefined ? undefined : `\`protect\` says \`${glob}\``
  }
}

/** `patterns`: over svcIds, by kind: `*` is any text, `?` one character. */
export function createPruneJudge(patterns: ReadonlyMap<Kind, readonly Text[]>, settings: PruneSettings): PruneJudge {
  const { normalise, declarations } = settings
  const selections = settings.selections.map((globs) => selectionOf(globs, settings.kinds))
  const declared = new Set<string>()
  for (const declaration of declarations) {
    if (declaration.kind.provides !== undefined || declaration.kind.key !== undefined)
      declared.add(normalise(identityOf(declaration)))
  }
  const matchers = new Map(
    Array.from(patterns, ([kind, own]) => [
      kind,
      own.map((pattern) => ({ pattern, matches: svcIdMatcher(plainText(pattern), normalise) })),
    ]),
  )
  const reasonFor = reasonsToKeep(settings)
  return (kind, name) => {
    const address = objectAddress(kind, name)
    const pattern = matchers.get(kind)?.find(({ matches }) => matches(name))?.pattern
    if (
      pattern === undefined ||
      declared.has(normalise(name)) ||
      !selections.every((isSelected) => isSelected(address))
    )
      return undefined
    const reason = reasonFor(address, name)
    return reason === undefined ? { pattern: String(pattern) } : { address, reason }
  }
}

/** For an object that is not declared, or no longer. */
export function deletionChange(live: Live, why: Pick<Change, 'prunedBy' | 'retired'>): Change {
  return { address: live.address, action: 'delete', desired: undefined, live, ...why, ...noDifferences }
}

/** A change that also lets go of the orphans (their keys) in lists that are additive or not managed. */
export function withReleasedOrphans(change: Change, orphans: ReadonlySet<string>): Change {
  const { live, action } = change
  if (live === undefined || action === 'delete') return change
  const collections = new Map(change.collections.map((difference) => [difference.collection, difference]))
  for (const [collection, elements] of Object.entries(live.collections)) {
    const known = collections.get(collection)
    const held = elements.filter(
      (element) =>
        orphans.has(subjectKey(element)) &&
        !hasUnknownLevel(element, live.kind.collections[collection]) &&
        !known?.removed.includes(element),
    )
    if (held.length === 0) continue
    const removed = [...(known?.removed ?? []), ...held]
    collections.set(collection, { collection, added: known?.added ?? [], removed })
  }
  const differences = [...collections.values()]
  const isSame = differences.every((difference) => change.collections.includes(difference))
  return isSame ? change : { ...change, action: 'update', collections: differences }
}
