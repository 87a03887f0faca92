// What accounts keep when they are deleted, such as licences: no document says that the deletion releases them.
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import { placeIn } from '@svcsync/core/model/declaration.ts'
import { elementKey } from '@svcsync/core/model/elements.ts'
import { isMisread, type Kind } from '@svcsync/core/model/kind.ts'
import { liveOf } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { formatCount, inCode, isLackingKind, PlatformError, type Problem } from '@svcsync/errors/index.ts'
import type { ObjectLists } from '@svcsync/live/object-lists.ts'
import type { ListedParts } from '@svcsync/live/read-list.ts'

/** One list for each kind of what accounts hold; where that cannot be read, the warning says so. */
export async function findKept(
  port: PlatformPort,
  changes: readonly Change[],
  { kinds, lists, undoes }: { readonly kinds: readonly Kind[]; readonly lists: ObjectLists; readonly undoes: boolean },
): Promise<readonly Problem[]> {
  const deleted = changes.filter((change) => change.action === 'delete' && kindOf(change).provides === 'user')
  if (deleted.length === 0) return []
  const held = kinds.filter(({ provides, sections: [section] }) => !provides && fieldsOf(section).holder !== undefined)
  const found = held.map(async (kind): Promise<readonly Problem[]> => {
    const list = kind.requests.list?.({})
    if (list === undefined) return []
    try {
      await port.authorise(kind.scopes.read)
      const listed = await lists.read(port, kind, {}, list, { pageSize: 100 })
      const kept = keptOf(kind, { deleted, changes, listed }, port)
      return kept.length === 0 ? [] : [keptProblem(kind, kept, undoes)]
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const { message } = error
      return isLackingKind(error) ? [] : [unknownProblem(kind, deleted, message)]
    }
  })
  return (await Promise.all(found)).flat()
}

interface Kept {
  readonly change: Change
  readonly items: readonly string[]
}

interface Seen {
  readonly deleted: readonly Change[]
  readonly changes: readonly Change[]
  readonly listed: ListedParts
}

function keptOf(kind: Kind, { deleted, changes, listed }: Seen, { normalise }: PlatformPort): Kept[] {
  const own = new Map(changes.filter((each) => kindOf(each) === kind).map((each) => [keyOf(each), each]))
  return deleted.flatMap((change) => {
    const removed = own.get(keyOf(change))?.collections.flatMap((difference) => difference.removed) ?? []
    const released = new Set(removed.map(elementKey))
    const items = (listed.get(keyOf(change)) ?? []).flatMap((part) =>
      isMisread(part)
        ? ['of a type that svcsync cannot read']
        : Object.values(liveOf(part, { kind, address: '', at: {} }, normalise).collections)
            .flatMap((elements = []) => elements)
            .filter((element) => !released.has(elementKey(element)))
            .map(({ item = '' }) => item),
    )
    // What is limited to several objects is an element for each.
    return items.length === 0 ? [] : [{ change, items: [...new Set(items)] }]
  })
}

const mostNamed = 10

function keptProblem({ title, sections: [{ key, identity }] }: Kind, kept: readonly Kept[], undoes: boolean): Problem {
  const [{ change: first }] = kept as [Kept]
  const names = title.toLowerCase()
  const count = kept.reduce((sum, { items }) => sum + items.length, 0)
  const counted = formatCount(count, names.replace(/s$/, ''), names)
  const each = kept.slice(0, mostNamed).map(({ change, items }) => `${nameOf(change)} (${items.join(', ')})`)
  const more = kept.length > mostNamed ? ` and ${kept.length - mostNamed} more` : ''
  const [only, ...others] = kept as [Kept, ...Kept[]]
  const message =
    others.length === 0
      ? `${nameOf(first)} keeps ${counted} (${only.items.join(', ')}): the deletion may not release it`
      : `${formatCount(kept.length, 'deleted account')} keep ${counted}: ${each.join(', ')}${more}. The deletions may not release them`
  const entry = `\`${key}: [{ ${identity}: ${first.live?.name ?? ''}, ${key}: [] }]\``
  const hint = undoes
    ? 'Undo releases only what the apply gave: release the rest by hand.'
    : `Declare ${entry} beside \`absent: true\`: svcsync then releases them before it deletes the account.`
  return { ...problemAt('SVC1354', first, message), hint }
}

function unknownProblem({ title }: Kind, [first]: readonly Change[], why: string): Problem {
  const message = `svcsync does not know whether deleted accounts keep ${title.toLowerCase()}: ${why}`
  return { ...problemAt('SVC1355', first as Change, message), hint: 'Nothing else depends on it: the plan continues.' }
}

function problemAt(code: string, { address, desired }: Change, message: string): Problem {
  const place = desired && placeIn(desired.declarations[0], ['absent'])
  return { code, severity: 'warning', address, message, ...(place && { place }) }
}

function nameOf({ live, desired }: Change): string {
  return inCode(live?.name ?? desired?.at.name ?? '')
}
