// Two states of a small installation, and the changes that lead from one to the other, without a platform.
import type { Change } from '../../src/core/compare/change.ts'
import { elementKey, keyedElement } from '../../src/core/model/elements.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { group } from '../../src/kinds/group/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'

export interface Holding {
  readonly svcId: string
  readonly address: string
  readonly level: string | undefined
  /** Its guid; null: none. Undefined: the platform does not tell. */
  readonly company: string | null | undefined
}

/** Somebody stands in for somebody else: everywhere, or in some processes; for all, or for one business entity. */
export interface StandingIn {
  readonly of: string
  readonly by: string
  readonly until: string
  /** Addresses. */
  readonly places: readonly string[]
  readonly company: string | null
}

export interface Side {
  /** The declared accounts. */
  readonly users: readonly string[]
  /** With their members. */
  readonly groups: Readonly<Record<string, readonly string[] | undefined>>
  readonly holdings: readonly Holding[]
  readonly standIns?: readonly StandingIn[]
}

const lower = (svcId: string): string => svcId.toLowerCase()
const keyed = (element: { readonly svcId: string }) => keyedElement(element, lower)

function changeOf(kind: Kind, name: string, lists: Readonly<Record<'before' | 'after', object[] | undefined>>): Change {
  const { before, after } = lists
  const collection = kind === process ? 'privileges' : 'members'
  const address = kind === process ? name : `${kind.name}/${name}`
  const elements = (list: object[] = []) => list.map((each) => keyed(each as { svcId: string }))
  const had = elements(before)
  const has = elements(after)
  const keys = { had: new Set(had.map(elementKey)), has: new Set(has.map(elementKey)) }
  const added = has.filter((each) => !keys.had.has(elementKey(each)))
  const removed = had.filter((each) => !keys.has.has(elementKey(each)))
  const action: Change['action'] =
    before === undefined
      ? 'create'
      : after === undefined
        ? 'delete'
        : added.length + removed.length > 0
          ? 'update'
          : 'none'
  const at = { name, ...(kind === process && { dbId: 1, process: name }) }
  const base = { kind, address, at, name, key: lower(name), fieldKeys: {}, spec: {} }
  const live = before && { ...base, collections: { [collection]: had } }
  const wanted = new Map(has.map((element) => [elementKey(element), { element }]))
  const desired = after && { ...base, collections: { [collection]: { elements: wanted } } }
  const collections = action === 'update' ? [{ collection, added: added.map((element) => ({ element })), removed }] : []
  return { address, action, fields: [], collections, unverifiable: [], live, desired } as unknown as Change
}

/** Objects that hold something exist on both sides. */
export function accessChanges(before: Side, after: Side): Change[] {
  const names = (of: (side: Side) => readonly string[]) => [...new Set([...of(before), ...of(after)])]
  const accounts = (list: readonly string[] | undefined) => list?.map((svcId) => ({ svcId }))
  const held = ({ holdings }: Side, address: string) =>
    holdings
      .filter((each) => each.address === address)
      .map(({ svcId, level, company }) => ({ svcId, level, company: company && { guid: company, name: company } }))
  const known = { before: new Set(before.users), after: new Set(after.users) }
  return [
    ...names(({ users }) => users).map((name) => {
      const there = (users: ReadonlySet<string>) => (users.has(name) ? [] : undefined)
      return changeOf(user, name, { before: there(known.before), after: there(known.after) })
    }),
    ...names(({ groups }) => Object.keys(groups)).map((name) =>
      changeOf(group, name, { before: accounts(before.groups[name]), after: accounts(after.groups[name]) }),
    ),
    ...names(({ holdings }) => holdings.map(({ address }) => address)).map((address) =>
      changeOf(process, address, { before: held(before, address), after: held(after, address) }),
    ),
    ...names(({ standIns = [] }) => standIns.map(nameOf)).map((name) => {
      const [was, is] = [before, after].map(({ standIns = [] }) => standIns.find((each) => nameOf(each) === name))
      return standInChange(name, was, is)
    }),
  ]
}

const nameOf = ({ of, by }: StandingIn): string => `${of}→${by}`

function standInChange(name: string, was: StandingIn | undefined, is: StandingIn | undefined): Change {
  const lists = ({ places = [], company }: Partial<StandingIn>) => ({
    applications: [],
    processes: places.map((guid) => ({ item: 'process', about: { guid, name: guid, dbId: 1 } })),
    businessEntity: company == null ? [] : [{ item: 'entity', about: { guid: company, name: company, dbId: 1 } }],
  })
  const spec = ({ of, by, until }: StandingIn) => ({ person: of, substitute: by, from: '2026-01-01', to: until })
  const base = { kind: substitution, address: `substitution/${name}`, at: { name }, name, key: name, fieldKeys: {} }
  const [had, has] = [lists(was ?? {}), lists(is ?? {})]
  const elementsOf = (list: readonly object[]) => new Map(list.map((element, index) => [String(index), { element }]))
  const collections = Object.entries(has).map(([collection, list]) => {
    return { collection, added: list.map((element) => ({ element })), removed: had[collection as keyof typeof had] }
  })
  const isSame = JSON.stringify(was) === JSON.stringify(is)
  const desired = Object.fromEntries(
    Object.entries(has).map(([field, list]) => [field, { elements: elementsOf(list) }]),
  )
  return {
    ...{ address: base.address, fields: [], unverifiable: [] },
    action: was === undefined ? 'create' : is === undefined ? 'delete' : isSame ? 'none' : 'update',
    live: was && { ...base, spec: spec(was), collections: had },
    desired: is && { ...base, spec: spec(is), collections: desired },
    collections: was && is && !isSame ? collections : [],
  } as unknown as Change
}
