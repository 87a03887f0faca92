// Warnings of a plan about accounts: whom nobody knows, whom an import would refuse, and what the deleted ones keep.
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import { isEmptyScalar } from '@svcsync/core/compare/compare-fields.ts'
import { undeclaredAccounts, unknownAccounts } from '@svcsync/core/compare/unknown-accounts.ts'
import { objectAddress, selectionOf } from '@svcsync/core/model/address.ts'
import { type Declaration, identityOf, placeIn } from '@svcsync/core/model/declaration.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { elementKey } from '@svcsync/core/model/elements.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isMisread, type Kind } from '@svcsync/core/model/kind.ts'
import { liveOf } from '@svcsync/core/model/live.ts'
import { hasInvisible, quoted } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import { formatCount, inCode, isLackingKind, PlatformError, type Problem } from '@svcsync/errors/index.ts'
import type { ObjectLists } from '@svcsync/live/object-lists.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import type { ListedParts } from '@svcsync/live/read-list.ts'
import { hasUnusableName } from '@svcsync/live/read-object.ts'
import type { OpenedProject } from '../open/open-project.ts'

/** Up to this many, each is looked for by itself; above, the lists are fewer requests. */
const fewAccounts = 20

/** Whom neither a manifest, nor `accounts.external`, nor the platform knows. */
export async function findUnknownAccounts(
  port: PlatformPort,
  { changes }: Pick<Plan, 'changes'>,
  { live, reads }: Pick<Observation, 'live' | 'reads'>,
  opened: OpenedProject,
  { only }: { readonly only: readonly string[] },
): Promise<readonly Problem[]> {
  const { project, assembly } = opened
  const { selected, unselected } = declaredAccounts(opened, only)
  const matches = externalAccounts(project.externalAccounts, assembly.normalise)
  const isExternal = (account: string) => matches(account) && !unselected.has(account)
  const known = new Set([...live.accounts, ...selected])
  const wanted = undeclaredAccounts(changes, known, isExternal)
  if (wanted.length === 0) return []
  const found = await probeAccounts(port, wanted, project, reads)
  return unknownAccounts(changes, wanted, { accounts: new Set([...known, ...found]), unselected })
}

/** Keys of accounts that are declared, by whether the run looks at them. */
function declaredAccounts({ project, declarations, assembly }: OpenedProject, only: readonly string[]) {
  const isSelected = selectionOf(only, project.kinds)
  const selected: string[] = []
  const unselected = new Map<string, Declaration>()
  for (const declaration of declarations) {
    const { kind, section } = declaration
    if (kind.provides === undefined || section.partial) continue
    const name = identityOf(declaration)
    const key = assembly.normalise(name)
    if (isSelected(objectAddress(kind, name))) selected.push(key)
    else unselected.set(key, declaration)
  }
  return { selected, unselected }
}

const none: ReadonlyMap<string, unknown> = new Map()

/** If the application may not look, the accounts stay unknown: a mere warning. */
async function probeAccounts(
  port: PlatformPort,
  wanted: ReturnType<typeof undeclaredAccounts>,
  { kinds, settings: { pageSize } }: Pick<OpenedProject['project'], 'kinds' | 'settings'>,
  { lists, accounts }: Observation['reads'],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const inKind = async (kind: Kind): Promise<void> => {
    await port.authorise(kind.scopes.read)
    const list = kind.requests.list?.({})
    const isMany = wanted.length > fewAccounts
    if (list !== undefined && (isMany || lists.isBegun(list))) {
      const listed = lists.read(port, kind, {}, list, { pageSize })
      // If a list of another reader fails, the accounts may still be readable one by one.
      for (const key of (await (isMany ? listed : listed.catch(() => none))).keys()) found.add(key)
      if (isMany) return
    }
    await Promise.all(
      wanted.map(async ({ svcId, key }) => {
        if (!found.has(key) && (await accounts(port, kind, svcId)) !== undefined) found.add(key)
      }),
    )
  }
  const accountKinds = kinds.filter(({ provides }) => provides !== undefined)
  await Promise.all(
    accountKinds.map((kind) =>
      inKind(kind).catch((error: unknown) => {
        // Nothing rests on this look: what is refused, fails or cannot be asked stays unknown.
        if (hasUnusableName(error)) return
        if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error
      }),
    ),
  )
  return found
}

export function findUnimportable(changes: readonly Change[]): readonly Problem[] {
  const fresh = changes.flatMap(({ action, desired }) =>
    action === 'create' && desired?.kind.provides !== undefined && !desired.partial ? desired : [],
  )
  const flawed = fresh.filter((each) => flawsOf(each) !== '')
  return Array.from(groupBy(flawed, (each) => `${each.kind.name} ${flawsOf(each)}`).values(), (alike): Problem => {
    const [first, ...others] = alike as [Desired]
    const [declaration] = first.declarations
    const flaws = flawsOf(first)
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    return {
      code: 'SVC1322',
      severity: 'warning',
      address: first.address,
      message: `New ${first.kind.name} ${inCode(first.at.name)}${more}: ${flaws}: some installations refuse it`,
      place: placeIn(declaration, [declaration.section.identity]),
      hint: 'If yours accepts it, `settings: { identifiers: ignore }` silences this.',
    }
  })
}

function flawsOf({ kind, at: { name: svcId = '' }, spec }: Desired): string {
  const isUser = kind.provides === 'user'
  const flaws: string[] = []
  if (isUser && !/^[^@\s]+@[^@\s]+$/.test(svcId)) flaws.push('not of the form name@domain')
  if (hasInvisible(svcId)) flaws.push('with white space or invisible characters in the svcId')
  const refused = isUser ? svcId.match(/[%&*+/=?#;:]/g) : null
  if (refused !== null) flaws.push(`with ${quoted([...new Set(refused)], ' ')} in the svcId`)
  const missing = (isUser ? ['name', 'email'] : ['name']).filter((field) => isEmptyScalar(spec[field]))
  if (missing.length > 0) flaws.push(`without ${missing.join(' and ')}`)
  return flaws.join(', and ')
}

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
      const kept = findKeptItems(kind, { deleted, changes, listed }, port)
      return kept.length === 0 ? [] : [keptProblem(kind, kept, undoes)]
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const { message } = error
      return isLackingKind(error) ? [] : [unknownProblem(kind, deleted, message)]
    }
  })
  return (await Promise.all(found)).flat()
}

interface KeptItems {
  readonly change: Change
  readonly items: readonly string[]
}

interface Holdings {
  readonly deleted: readonly Change[]
  readonly changes: readonly Change[]
  readonly listed: ListedParts
}

function findKeptItems(kind: Kind, { deleted, changes, listed }: Holdings, { normalise }: PlatformPort): KeptItems[] {
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
    // An item with several limits is an element for each.
    return items.length === 0 ? [] : [{ change, items: [...new Set(items)] }]
  })
}

const mostNamed = 10

function keptProblem(
  { title, sections: [{ key, identity }] }: Kind,
  kept: readonly KeptItems[],
  undoes: boolean,
): Problem {
  const [{ change: first }] = kept as [KeptItems]
  const names = title.toLowerCase()
  const count = kept.reduce((sum, { items }) => sum + items.length, 0)
  const counted = formatCount(count, names.replace(/s$/, ''), names)
  const each = kept.slice(0, mostNamed).map(({ change, items }) => `${nameOf(change)} (${items.join(', ')})`)
  const more = kept.length > mostNamed ? ` and ${kept.length - mostNamed} more` : ''
  const [only, ...others] = kept as [KeptItems, ...KeptItems[]]
  const message =
    others.length === 0
      ? `${nameOf(first)} keeps ${counted} (${only.items.join(', ')}): the deletion may not release it`
      : `${formatCount(kept.length, 'deleted account')} keep ${counted}: ${each.join(', ')}${more}. ` +
        'The deletions may not release them'
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
