// A run that says who can do what: live, and as declared, with everything that the platform lists.
import { accessGraphOf } from '../../core/access/access-graph.ts'
import { aftermathOf, type Time } from '../../core/access/aftermath.ts'
import { type AccessEntry, listAccess, peopleIn } from '../../core/access/describe-access.ts'
import { type Address, addressMatcher, byAddress, type NormaliseSvcId } from '../../core/model/address.ts'
import type { Kind } from '../../core/model/kind.ts'
import { globSuggestion, suggestion } from '../../core/model/near-misses.ts'
import { OperatorError } from '../../errors/index.ts'
import type { PlatformClient } from '../../platform/index.ts'
import type { ReadProject } from '../open/open-project.ts'
import type { PlanRun } from '../plan/plan-run.ts'
import { readUndeclared } from '../plan/read-undeclared.ts'

export interface AccessQuestion {
  /** A svcId: only what this account can do. */
  readonly person?: string | undefined
  /** An address, or a glob over addresses. */
  readonly address?: string | undefined
}

/** Somebody, what they can do, and where that is so. */
export interface AccessRow extends AccessEntry {
  readonly live: boolean
  /** So it is once what is declared is applied: what no manifest speaks of stays. */
  readonly afterApply: boolean
}

export interface AccessAnswer {
  readonly rows: readonly AccessRow[]
  /** Where an account and an address were asked about: who holds there by itself what the account has not. */
  readonly holders: readonly AccessEntry[]
  /** Accounts that hold what was asked about, and may be groups whose members nobody knows. */
  readonly perhapsGroups: readonly string[]
  /** What was not read: nobody knows what is there. */
  readonly unread: readonly { readonly address: Address; readonly reason: string }[]
}

/** Throws an OperatorError for an account that nobody knows, and for an address that nothing has. */
export async function accessRun(
  opened: Pick<ReadProject, 'project'>,
  client: PlatformClient,
  { plan }: Pick<PlanRun, 'plan'>,
  { person, address }: AccessQuestion,
  kinds: readonly Kind[],
  onProgress?: (objects: number) => void,
): Promise<AccessAnswer> {
  const { changes, leftOut } = await readUndeclared(client, opened, plan, kinds, onProgress)
  const graph = accessGraphOf(changes, aftermathOf(changes))
  const asked = person === undefined ? undefined : askedAccount(graph, person, client.normalise)
  const unread = [...plan.unreadable, ...leftOut].map(({ address, reason }) => ({ address, reason })).sort(byAddress)
  const matches = address === undefined ? () => true : addressMatcher(address)
  if (address !== undefined) requireMatch(address, [...changes, ...unread])
  const people = peopleIn(graph)
  const accounts = asked === undefined ? people : [asked]
  const entriesAt = (time: Time, of: readonly number[]) =>
    listAccess(graph, time, of).filter((entry) => matches(entry.address))
  const rows = rowsOf(entriesAt('before', accounts), entriesAt('after', accounts))
  const here = directHolders(graph, matches)
  // Through groups, too: an account of a directory holds little by itself.
  const open = people.filter((each) => !graph.single.has(each))
  const theirs = [...entriesAt('before', open), ...entriesAt('after', open)]
  const perhapsGroups = [...new Set(theirs.flatMap(({ subject }) => subject ?? []))].sort()
  const isLive = new Set(rows.filter(({ live }) => live).map(rightOf))
  const lacked = here.filter((entry) => !isLive.has(rightOf(entry)))
  return { rows, holders: asked === undefined || address === undefined ? [] : lacked, perhapsGroups, unread }
}

type Graph = ReturnType<typeof accessGraphOf>

function askedAccount({ numbers, svcIds }: Graph, person: string, normalise: NormaliseSvcId): number {
  const found = numbers.get(normalise(person))
  if (found !== undefined) return found
  throw new OperatorError('SVC2280', `No manifest and no list of the platform names \`${person}\``, {
    hint:
      suggestion(person, svcIds) ??
      'Write the svcId of a user, a group or a directory account, as members and privileges have it.',
  })
}

function requireMatch(glob: string, all: readonly { readonly address: Address }[]): void {
  const matches = addressMatcher(glob)
  if (all.some((each) => matches(each.address))) return
  const addresses = all.map((each) => each.address)
  throw new OperatorError('SVC2281', `No object has an address that matches \`${glob}\``, {
    hint:
      globSuggestion(glob, addresses) ??
      'Addresses are like `process/main/Purchasing/Invoice approval`; `svcsync access list` shows them.',
  })
}

const rightOf = ({ level, address, company }: AccessEntry): string => JSON.stringify([level, address, company])
const keyOf = (entry: AccessEntry): string => `${entry.subject} ${rightOf(entry)}`

/** One row for what is on either side; the chain is the live one, where there is one. */
function rowsOf(live: readonly AccessEntry[], after: readonly AccessEntry[]): AccessRow[] {
  const rows = new Map<string, AccessRow>()
  for (const entry of live) rows.set(keyOf(entry), { ...entry, live: true, afterApply: false })
  for (const entry of after) {
    const known = rows.get(keyOf(entry))
    rows.set(
      keyOf(entry),
      known === undefined ? { ...entry, live: false, afterApply: true } : { ...known, afterApply: true },
    )
  }
  return [...rows.values()].sort((a, b) => {
    const [left, right] = [a.subject ?? '', b.subject ?? '']
    return left === right ? byAddress(a, b) : left < right ? -1 : 1
  })
}

/** Groups and accounts that hold something by themselves now. */
function directHolders({ svcIds, rights, held }: Graph, matches: (address: Address) => boolean): AccessEntry[] {
  return svcIds.flatMap((subject, account) =>
    (held.before[account] ?? []).flatMap((number): AccessEntry[] => {
      const right = rights[number]
      if (right === undefined || !matches(right.address)) return []
      const { address, kind, level = null, company } = right
      return [{ subject, level, address, company: company?.name ?? null, via: [], kind }]
    }),
  )
}
