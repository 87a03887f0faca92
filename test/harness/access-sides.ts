// Two states of a small installation, and the changes that lead from one to the other, without a platform.
import type { Action, Change } from '../../src/core/compare/change.ts'
import { elementKey, keyedElement } from '../../src/core/model/elements.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { group } from '../../src/kinds/group/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'

export interface Holding {
  readonly svcId: string
  readonly address: string
  readonly level: string | undefined
  /** Its guid; null: none. Undefined: the platform does not tell. */
  readonly company: string | null | undefined
}

export interface Side {
  /** Those that are declared. */
  readonly users: readonly string[]
  /** With their members. */
  readonly groups: Readonly<Record<string, readonly string[] | undefined>>
  readonly holdings: readonly Holding[]
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
  const action: Action =
    before === undefined
      ? 'create'
      : after === undefined
        ? 'delete'
        : added.length + removed.length > 0
          ? 'update'
          : 'none'
  const base = { kind, address, at: { name }, name, key: lower(name), fieldKeys: {}, spec: {} }
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
  return [
    ...names(({ users }) => users).map((name) => {
      const there = ({ users }: Side) => (users.includes(name) ? [] : undefined)
      return changeOf(user, name, { before: there(before), after: there(after) })
    }),
    ...names(({ groups }) => Object.keys(groups)).map((name) =>
      changeOf(group, name, { before: accounts(before.groups[name]), after: accounts(after.groups[name]) }),
    ),
    ...names(({ holdings }) => holdings.map(({ address }) => address)).map((address) =>
      changeOf(process, address, { before: held(before, address), after: held(after, address) }),
    ),
  ]
}
