// Reads how many licences there are and how many are held, if a plan gives any, and orders its steps by that.

import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import { exceedsStock, itemMovements, type Stock, shortagesOf } from '@svcsync/core/compare/stock.ts'
import { stock } from '@svcsync/core/model/capabilities/stock.ts'
import { shownNamesKey } from '@svcsync/core/model/doubts.ts'
import { append } from '@svcsync/core/model/group-by.ts'
import { isMisread, type Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { replacedAccounts } from '@svcsync/core/plan/hold-removals.ts'
import { type Plan, stepsOf } from '@svcsync/core/plan/plan.ts'
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import type { ObjectLists } from '@svcsync/live/object-lists.ts'
import { concernsOne, otherShape } from '@svcsync/live/read-object.ts'

/** With its steps in an order in which there is always something to give. One request for each collection. */
export async function withStock<Made extends Omit<Plan, 'guards'>>(
  port: PlatformPort,
  plan: Made,
  lists: ObjectLists,
): Promise<{ readonly plan: Made; readonly stocks: readonly Stock[]; readonly problems: readonly Problem[] }> {
  const stocks: Stock[] = []
  const problems: Problem[] = []
  for (const { kind, collection } of givenFrom(plan.changes)) {
    try {
      const read = await readStock(port, plan.changes, lists, kind, collection)
      stocks.push(read)
      problems.push(...uncounted(plan.changes, read))
    } catch (error) {
      if (!concernsOne(error)) throw error
      problems.push(unknownStock(kind, error.message))
    }
  }
  const ordered = inOrderOfStock(plan, stocks)
  return { plan: ordered, stocks, problems: [...problems, ...lapsesOf(ordered)] }
}

/** Licences that an account with a new login must give up first, since none are left. */
function lapsesOf({ changes, steps }: Pick<Plan, 'changes' | 'steps'>): Problem[] {
  const replaced = replacedAccounts(changes)
  if (replaced.size === 0) return []
  const holders = new Map(changes.map((change) => [change.address, change]))
  const taking = new Map(steps.flatMap((step) => (step.verb === 'remove' ? [[step.id, step] as const] : [])))
  return steps.flatMap(({ verb, address, elements = [], dependsOn }): Problem[] => {
    const change = holders.get(address)
    if (verb !== 'add' || change === undefined || !replaced.has(keyOf(change))) return []
    const items = elements.flatMap(({ item = [] }) => item)
    const isGiven = dependsOn.some((id) => taking.get(id)?.elements?.some(({ item }) => item && items.includes(item)))
    if (!isGiven) return []
    return [
      {
        code: 'SVC1342',
        severity: 'warning',
        address,
        message:
          `No ${[...new Set(items)].join(', ')} is free: ` +
          `svcsync takes it away first, then gives it to ${inCode(change.desired?.at.name)}`,
        hint: 'In between, nobody has it. With one more licence, svcsync gives it first.',
      },
    ]
  })
}

export function inOrderOfStock<Made extends Omit<Plan, 'guards'>>(plan: Made, stocks: readonly Stock[]): Made {
  const tight = stocks.filter((each) => exceedsStock(plan.changes, each))
  return tight.length === 0 ? plan : { ...plan, steps: stepsOf(plan.changes, plan.unreadable, tight) }
}

function uncounted(changes: readonly Change[], read: Stock): Problem[] {
  const { kind, supplies } = read
  const given = [...itemMovements(changes, read)].filter(([item, each]) => each.given.length > 0 && !supplies.has(item))
  if (given.length === 0) return []
  const types = given.map(([item]) => inCode(item)).sort()
  return [unknownStock(kind, `the platform gives no number for ${types.join(', ')}`)]
}

function unknownStock({ title }: Kind, why: string): Problem {
  return {
    code: 'SVC1339',
    severity: 'warning',
    message: `svcsync does not know whether there are enough ${title.toLowerCase()}: ${why}`,
    hint: 'If there are too few, the platform refuses single steps.',
  }
}

function givenFrom(changes: readonly Change[]): { readonly kind: Kind; readonly collection: string }[] {
  const kinds = new Map<Kind, Set<string>>()
  for (const change of changes) {
    for (const { collection, added } of change.collections) {
      const kind = kindOf(change)
      if (added.length === 0 || stock.of(kind.collections[collection] ?? {}) === undefined) continue
      kinds.set(kind, (kinds.get(kind) ?? new Set()).add(collection))
    }
  }
  return [...kinds].flatMap(([kind, names]) => [...names].map((collection) => ({ kind, collection })))
}

async function readStock(
  port: PlatformPort,
  changes: readonly Change[],
  lists: ObjectLists,
  kind: Kind,
  collection: string,
): Promise<Stock> {
  const { path, parse } = stock.of(kind.collections[collection] ?? {}) ?? { path: '', parse: () => new Map() }
  const deletedHolders = new Map<string, string[]>()
  const supplies = parse((await port.send({ method: 'GET', path })) ?? null)
  if (isMisread(supplies)) throw otherShape(kind, path, supplies.misread)
  for (const item of supplies.keys()) port.names?.learn(shownNamesKey(kind), item)
  const read: Stock = { kind, collection, supplies, deletedHolders }
  const deleted = changes.filter((change) => change.action === 'delete' && kindOf(change).provides !== undefined)
  const list = kind.requests.list?.({})
  if (deleted.length === 0 || list === undefined || shortagesOf(changes, read).length === 0) return read
  const listed = await lists.read(port, kind, {}, list, { pageSize: 100 })
  for (const key of deleted.map(keyOf)) {
    for (const part of listed.get(key) ?? []) {
      if (isMisread(part)) continue
      const items = new Set(part.collections[collection]?.map(({ item = '' }) => item))
      for (const item of items) append(deletedHolders, item, key)
    }
  }
  return read
}
