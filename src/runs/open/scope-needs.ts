// Finds the scopes that a run needs, and the refused ones.
import { selectionBelow } from '@svcsync/core/model/address.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import { type Collection, type Kind, kindsByName } from '@svcsync/core/model/kind.ts'
import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { AccessError } from '@svcsync/errors/index.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'

export function readNeeds(declarations: readonly Declaration[], pruned: Iterable<Kind> = []): readonly ScopeNeed[] {
  return [...kindsRead(declarations, pruned)].flatMap((kind) => kind.scopes.read)
}

/** Kinds of declared objects, of their references and parents, and of pruned objects. */
export function kindsRead(declarations: readonly Declaration[], pruned: Iterable<Kind>): ReadonlySet<Kind> {
  const kinds = new Set<Kind>(pruned)
  for (const { kind, parent, section, item } of declarations) {
    kinds.add(kind)
    for (const { field, collection } of fieldsOf(section).collections) {
      const { about, fromManifest } = kind.collections[collection] as Collection
      const isNamed =
        about && item[field] !== undefined && fromManifest(item[field]).elements.some((each) => each.about)
      if (about && about !== 'company' && isNamed) kinds.add(about)
    }
    for (let outer = parent; outer !== undefined; outer = outer.parent) kinds.add(outer.kind)
  }
  return kinds
}

/** The scopes of the lists that tell the stock of each kind. */
export function listNeeds(kinds: readonly Kind[]): ReadonlyMap<Kind, readonly ScopeNeed[]> {
  return new Map(
    kinds
      .filter((kind) => kind.scope !== 'parent' && page.of(kind) === undefined)
      .map((kind) => [kind, kind.scopes.read]),
  )
}

export function writeNeeds(steps: readonly Step[], kinds: readonly Kind[]): readonly ScopeNeed[] {
  const byName = kindsByName(kinds)
  return [...new Set(steps.map(({ kind }) => kind))].flatMap((name) => byName.get(name)?.scopes.write ?? [])
}

/** The scopes to read all `of` these, or the globs' possible selection: by kind, including containers. */
export function exportNeeds(
  kinds: readonly Kind[],
  globs: readonly string[],
  of = kinds,
): ReadonlyMap<Kind, readonly ScopeNeed[]> {
  const mayHold = selectionBelow(globs)
  const containerOf = ({ parent }: Kind): Kind | undefined => kinds.find(({ name }) => name === parent)
  const firstWord = (kind: Kind): string =>
    kind.scope === 'parent' ? firstWord(containerOf(kind) ?? { ...kind, scope: 'database' }) : kind.segment
  const wanted = new Set<Kind>()
  for (const kind of of) {
    // An object that no list tells is read by its own address only.
    if (!mayHold(firstWord(kind)) || (page.of(kind) !== undefined && globs.length === 0)) continue
    for (let each: Kind | undefined = kind; each !== undefined; each = containerOf(each)) wanted.add(each)
  }
  return new Map([...wanted].map((kind) => [kind, kind.scopes.read]))
}

/** If all are refused together, each is tried alone. `error`: the common refusal. */
export async function refusedKinds<Item = Kind>(
  client: Pick<PlatformClient, 'authorise'>,
  needed: ReadonlyMap<Item, readonly ScopeNeed[]>,
): Promise<{ readonly refused: ReadonlyMap<Item, string>; readonly error?: AccessError }> {
  const refused = new Map<Item, string>()
  try {
    await client.authorise([...needed.values()].flat())
    return { refused }
  } catch (error) {
    if (!isScopeRefusal(error)) throw error
    // One after the other: what is granted adds up.
    for (const [item, needs] of needed) {
      try {
        await client.authorise(needs)
      } catch (inner) {
        if (!isScopeRefusal(inner)) throw inner
        refused.set(item, inner.message)
      }
    }
    return { refused, error }
  }
}

function isScopeRefusal(error: unknown): error is AccessError {
  return error instanceof AccessError && error.type === 'InvalidScope'
}
