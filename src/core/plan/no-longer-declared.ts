// Declarations of the base that the manifests have dropped, with the consequence of each.
import type { Place } from '@svcsync/errors/index.ts'
import type { Change } from '../compare/change.ts'
import { findRetired } from '../compare/compare-collection.ts'
import { placeIn } from '../model/declaration.ts'
import {
  type DeclaredBefore,
  type Desired,
  type DesiredElement,
  placeOfElement,
  placeOfField,
  sidesOf,
} from '../model/desired.ts'
import { elementKey, subjectKey } from '../model/elements.ts'
import { isJsonObject, valueAt } from '../model/json.ts'
import type { Live, LiveSnapshot } from '../model/live.ts'
import type { BaseIdentity, NoLongerDeclared } from './plan-document.ts'

interface DroppedPart extends Omit<NoLongerDeclared, 'place'> {
  readonly place: Place
  /** Of a kept object. Undefined: nobody knows. */
  readonly isThere?: boolean | undefined
  /** The unfinished apply that says it, if the commit applied last does not. */
  readonly begun?: ReturnType<typeof sidesOf>[number]['begun']
}

/** In the order of the objects, without what is not there any more. `compared`: with what the base says. */
export function findNoLongerDeclared(
  compared: readonly { readonly object: Desired; readonly change: Change | undefined }[],
  live: Pick<LiveSnapshot, 'unreadable' | 'presence'>,
  { commit }: BaseIdentity,
): readonly NoLongerDeclared[] {
  const found = compared.flatMap(({ object, change }): DroppedPart[] => {
    const { since } = object
    if (since === undefined || live.unreadable.has(object.address)) return []
    if (change?.action === 'delete') return change.retired === undefined ? [] : [ofObject(object, since, 'deleted')]
    const isThere = change === undefined ? live.presence?.get(object.address) : change.live !== undefined
    if (isThere === false) return []
    const isListed = since.standing !== 'declared' && object.kind.lifecycle !== 'found'
    return [
      ...(isListed && sidesOf(since).some(({ said }) => !said.partial)
        ? [ofObject(object, since, 'kept', isThere)]
        : []),
      ...Object.keys(since.entries).flatMap((path) => ofEntries(object, since, path, change)),
      ...ofValues(object, since, change),
    ]
  })
  return found.map(({ place, isThere, begun: { commit: from = null, undo } = {}, ...rest }) =>
    from === null
      ? { ...rest, place: { commit, ...place } }
      : { reason: whyBegun(from, undo, { ...rest, isThere }), ...rest, place: { commit: from, ...place } },
  )
}

function whyBegun(
  commit: string,
  undo: true | undefined,
  { path, becomes, isThere }: Pick<DroppedPart, 'path' | 'becomes' | 'isThere'>,
): string {
  const doubt = path === undefined && becomes === 'kept' && isThere === undefined ? ': it may not be there' : ''
  const short = commit.slice(0, 7)
  return `${undo ? `an undo led back to ${short}` : `${short} was begun and not completed`}${doubt}`
}

function ofObject(
  { address }: Desired,
  since: DeclaredBefore,
  becomes: DroppedPart['becomes'],
  isThere?: boolean,
): DroppedPart {
  const reason = becomes === 'kept' ? since.deletion?.kept : undefined
  const { said = since.base, begun } = sidesOf(since).find(({ said }) => !said.partial) ?? {}
  const place = placeIn(said.declarations[0], [])
  return { address, becomes, isThere, ...(reason !== undefined && { reason }), place, begun }
}

const notTold = 'the platform does not tell whether it is this one'

function ofEntries(object: Desired, since: DeclaredBefore, path: string, change: Change | undefined): DroppedPart[] {
  const { address } = object
  const listed = [...(since.entries[path]?.values() ?? [])]
  const standing = (entry: DesiredElement) => {
    const key = elementKey(entry.element)
    const side = sidesOf(since).find(({ said }) => said.collections[path]?.elements.has(key))
    return { place: placeOfElement(entry), begun: side?.begun }
  }
  if (change === undefined) {
    return listed.map((each) => ({
      address,
      path,
      element: each.element,
      becomes: 'kept',
      ...standing(each),
    }))
  }
  const removed = change.collections.find(({ collection }) => collection === path)?.removed ?? []
  const live = change.live?.collections[path] ?? []
  const found = findRetired(object, path, live)
  const told = new Set(found.values())
  // A level or a business entity that the platform does not tell: whether it is this entry nobody knows.
  const doubtful = new Set(live.filter(({ level, company }) => (level && company) === undefined).map(subjectKey))
  return [
    ...[...found].map(([element, entry]): DroppedPart => {
      const becomes = removed.includes(element) ? 'removed' : 'kept'
      return { address, path, element, becomes, ...standing(entry) }
    }),
    ...listed.flatMap((entry): DroppedPart[] => {
      const { element } = entry
      if (element.level === undefined || told.has(entry) || !doubtful.has(subjectKey(element))) return []
      return [{ address, path, element, becomes: 'kept', reason: notTold, ...standing(entry) }]
    }),
  ]
}

function ofValues({ address }: Desired, since: DeclaredBefore, change: Change | undefined): DroppedPart[] {
  return since.values.flatMap(({ path, inherits }): DroppedPart[] => {
    const dotted = path.join('.')
    const isThere = inherits
      ? change?.fields.some((field) => field.path.join('.') === dotted)
      : isShown(change?.live, path)
    if (!isThere) return []
    const { said = since.base, begun } = sidesOf(since).find(({ said }) => valueAt(said.spec, path) !== undefined) ?? {}
    return [{ address, path: dotted, becomes: inherits ? 'inherits' : 'kept', place: placeOfField(said, path), begun }]
  })
}

/** A field that the platform never tells may still be there. */
function isShown(live: Live | undefined, path: readonly string[]): boolean {
  let here: unknown = live?.spec
  for (const key of path) {
    if (!isJsonObject(here)) return false
    if (here[key] === undefined) return true
    here = here[key]
  }
  return here !== null && here !== ''
}
