// Collects the facts for guards, alike for a fresh plan, a saved one, and the rest of an interrupted one.
import { Aftermath } from '@svcsync/core/access/aftermath.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import type { Stock } from '@svcsync/core/compare/stock.ts'
import type { CommitHistory, Facts, Promotion } from '@svcsync/core/guards/guard.ts'
import { neededFacts } from '@svcsync/core/guards/judge-guards.ts'
import { writtenFor } from '@svcsync/core/model/desired.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { describeChanges, findOverwritten } from '@svcsync/core/plan/build-plan-document.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { Observation } from '@svcsync/live/observe.ts'
import type { Project } from '@svcsync/project/project.ts'
import type { OpenedProject } from '../open/open-project.ts'

interface FactSource {
  readonly plan: Omit<Plan, 'guards'>
  readonly changes: readonly Change[]
  readonly project: Project
  readonly observation: Pick<Observation, 'live' | 'prune'>
  readonly stocks: readonly Stock[]
  readonly history: CommitHistory | undefined
  /** `takes-back`: it does not matter. Undefined: nobody has looked. */
  readonly promotion: Promotion | 'takes-back' | undefined
  /** Entries in all lists of a kind, where a file tells of more than is read again. */
  readonly listed: Facts['listed']
  /** The declarations of the manifests; undefined: a file holds the plan, and no manifest was read for it. */
  readonly manifests: Pick<OpenedProject, 'declarations' | 'emptyFolders'> | undefined
  acting(): Facts['acting'] | Promise<Facts['acting']>
  administratorsGained(): Exclude<Facts['administratorsGained'], null>
}

export async function collectFacts(source: FactSource): Promise<Partial<Facts>> {
  const collector = collectorOf(source)
  const needed = [...neededFacts(source.changes)]
  return Object.fromEntries(await Promise.all(needed.map(async (name) => [name, await collector[name]()])))
}

/** A fact that is none here does not compile. */
function collectorOf(source: FactSource): { readonly [Name in keyof Facts]: () => Facts[Name] | Promise<Facts[Name]> } {
  const { plan, changes, project, observation, stocks, history, promotion, manifests } = source
  const { guards, protect } = project
  const { live, prune } = observation
  const notRead = { notTold: 'No manifest was read.' }
  return {
    changes: () => changes,
    unreadable: () => unreadable(plan, manifests === undefined),
    limits: () => guards,
    protect: () => protect,
    leftOut: () => (manifests ? { declarations: leftOut(plan, manifests) } : notRead),
    missing: () => (manifests ? missingIn(plan, manifests) : notRead),
    administratorsGained: () => (guards.administratorGained === 'refuse' ? source.administratorsGained() : null),
    totals: () => new Map([...live.totals, ...(prune?.totals ?? [])]),
    listed: () => source.listed,
    aftermath: () => new Aftermath(changes),
    acting: () => source.acting(),
    history: () => history ?? null,
    promotion: () => (promotion === 'takes-back' ? null : (promotion ?? notLooked(guards.promotedFrom))),
    overwritten: () =>
      plan.base && guards.overwrites === 'refuse' ? findOverwritten(describeChanges(plan.changes, true)) : null,
    stocks: () => (stocks.length > 0 ? stocks : null),
  }
}

function notLooked(from: string | undefined): Promotion | null {
  if (from === undefined) return null
  return { from, planned: null, applied: undefined, state: 'unknown', why: 'svcsync has not read its ledger' }
}

/** A file has verdicts of its own about what could not be read when it was made. */
function unreadable({ unreadable: all, unread }: Omit<Plan, 'guards'>, isSaved: boolean): Facts['unreadable'] {
  const objects = new Map(unread?.map((object) => [object.address, object]))
  const meant = isSaved ? all.filter(({ isNew }) => isNew) : all
  return meant.map(({ address }) => ({ address, object: objects.get(address) }))
}

/** Deletions by prune in kinds without declarations, and empty folders of manifests. */
function missingIn(
  { changes }: Pick<Plan, 'changes'>,
  { declarations, emptyFolders }: NonNullable<FactSource['manifests']>,
) {
  const kinds = new Map<string, number>()
  const pruned = changes.filter(({ action, desired }) => action === 'delete' && desired === undefined)
  for (const { live } of pruned) {
    const name = live?.kind.name ?? ''
    const isDeclared = declarations.some(
      ({ kind, section, item }) => kind.name === name && !section.partial && item.absent !== true,
    )
    if (!isDeclared) kinds.set(name, (kinds.get(name) ?? 0) + 1)
  }
  return { kinds, folders: pruned.length > 0 ? emptyFolders : [] }
}

/** Declarations with members, owners or privileges that the run does not look at. */
function leftOut(
  { changes, unread = [] }: Pick<Plan, 'changes' | 'unread'>,
  { declarations }: NonNullable<FactSource['manifests']>,
): number {
  if (!changes.some(({ action }) => action === 'delete')) return 0
  const seen = new Set([...changes.flatMap(({ desired }) => desired ?? []), ...unread].flatMap(writtenFor))
  return declarations.filter(
    (declaration) =>
      !seen.has(declaration) &&
      fieldsOf(declaration.section).collections.some(
        ({ field, collection }) =>
          declaration.item[field] !== undefined && declaration.kind.collections[collection]?.of !== 'items',
      ),
  ).length
}
