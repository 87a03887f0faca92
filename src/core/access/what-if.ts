// The effect of editing lists: compares the installation as the manifests leave it with the edited one, by the one
// model of access.
import { type Change, noDifferences } from '../compare/change.ts'
import type { Address } from '../model/address.ts'
import type { Desired, DesiredElement } from '../model/desired.ts'
import { elementKey, type KeyedElement } from '../model/elements.ts'
import { append } from '../model/group-by.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import { accessDifference } from './access-difference.ts'
import { accessGraphOf } from './access-graph.ts'
import { Aftermath } from './aftermath.ts'
import { type AccessDocument, describeAccess, unlimited } from './describe-access.ts'
import type { AccessGraph } from './graph-model.ts'

/** One entry of one list of what is declared. */
export interface LinkEdit {
  readonly is: 'added' | 'removed'
  readonly address: Address
  readonly collection: string
  readonly element: KeyedElement
}

/** The state after an apply of the manifests, without any change left. */
export function settled(changes: readonly Change[]): Change[] {
  const aftermath = new Aftermath(changes)
  return changes.flatMap((change): Change[] => {
    const { action, live, desired, address } = change
    const isThere = action === 'create' || (action !== 'delete' && live !== undefined)
    if (!isThere) return []
    if (action === 'none') return [change]
    const object = live ?? (desired as Desired)
    const { kind, at, key, fieldKeys } = object
    const collections = Object.fromEntries(
      Object.keys(kind.collections).flatMap((name) =>
        live !== undefined && live.collections[name] === undefined
          ? []
          : [[name, aftermath.elements(change, name, 'after')]],
      ),
    )
    const spec = { ...live?.spec, ...desired?.spec }
    const made = { name: at.name ?? '', self: at.self ?? '', ready: true, kind, address, at, key, fieldKeys }
    return [{ address, desired, action: 'none', ...noDifferences, live: { ...made, ...live, spec, collections } }]
  })
}

/**
 * The side effect of an edit: a level that no manifest lists comes under management with its first entry, and
 * undeclared holders lose it.
 */
function withEdits(standing: readonly Change[], edits: readonly LinkEdit[]): Change[] {
  const byAddress = new Map<Address, LinkEdit[]>()
  for (const edit of edits) append(byAddress, edit.address, edit)
  return standing.map((change) => {
    const own = byAddress.get(change.address)
    return own === undefined ? change : edited(change, own)
  })
}

function edited(change: Change, edits: readonly LinkEdit[]): Change {
  const { desired, live } = change
  if (desired === undefined) return change
  const names = [...new Set(edits.map(({ collection }) => collection))]
  const collections = names.map((collection) => {
    const own = edits.filter((edit) => edit.collection === collection)
    const there = live?.collections[collection] ?? []
    const added = own.filter(({ is }) => is === 'added').map(({ element }) => declaredAs(desired, collection, element))
    const gone = new Set(own.filter(({ is }) => is === 'removed').map(({ element }) => elementKey(element)))
    const swept = new Set(own.flatMap((edit) => newlyManaged(desired, edit, there)))
    return {
      collection,
      added,
      removed: there.filter((element) => gone.has(elementKey(element)) || swept.has(element)),
    }
  })
  return { ...change, action: 'update', desired: withDeclared(desired, collections), collections }
}

/** For a level that no manifest lists yet. */
function newlyManaged(desired: Desired, { is, collection, element }: LinkEdit, there: readonly KeyedElement[]) {
  const { mode, parts = [] } = desired.collections[collection] ?? {}
  const part = desired.kind.collections[collection]?.part?.(element as never)
  if (is === 'removed' || mode !== 'exclusive' || part === undefined || parts === 'all' || parts.includes(part))
    return []
  return there.filter((each) => desired.kind.collections[collection]?.part?.(each as never) === part)
}

function declaredAs(desired: Desired, collection: string, element: KeyedElement): DesiredElement {
  const [declaration] = desired.declarations
  const { field = collection } =
    fieldsOf(declaration.section).collections.find((each) => each.collection === collection) ?? {}
  return { element, declaration, field, path: [], set: undefined, listedAt: undefined }
}

function withDeclared(desired: Desired, differences: Change['collections']): Desired {
  const collections = { ...desired.collections }
  for (const { collection, added, removed } of differences) {
    const before = collections[collection]
    if (before === undefined) continue
    const gone = new Set(removed.map(elementKey))
    const kept = [...before.elements].filter(([key]) => !gone.has(key))
    const elements = new Map([...kept, ...added.map((each) => [elementKey(each.element), each] as const)])
    collections[collection] = { ...before, elements }
  }
  return { ...desired, collections }
}

/** `standing`: see `settled`. */
export function effectOf(
  standing: readonly Change[],
  edits: readonly LinkEdit[],
  nowMs: number,
): { readonly changes: readonly Change[]; readonly graph: AccessGraph; readonly access: AccessDocument } {
  const changes = withEdits(standing, edits)
  const graph = accessGraphOf(changes, nowMs)
  const access = describeAccess(graph, accessDifference(graph), 'declared', { standsAlone: true }, unlimited)
  return { changes, graph, access }
}
