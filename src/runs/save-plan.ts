// Makes a plan into one that can be applied later, elsewhere, without the manifests.
import { relative, resolve, sep } from 'node:path'
import { readAccountEntry } from '../core/account-entry.ts'
import { type AccountSet, placeInSet } from '../core/account-sets.ts'
import { type Declaration, identityOf, placeIn } from '../core/declaration.ts'
import type { Desired } from '../core/desired.ts'
import { takesAway } from '../core/guards/judge-guards.ts'
import { listedIn } from '../core/guards/removals-stay-under-limit.ts'
import type { ActingApplication, PlanDocument } from '../core/plan-document.ts'
import { declarationsBehind, foundationsOf } from '../core/plan-foundations.ts'
import { saveItem } from '../core/saved-item.ts'
import type { SavedDeclaration, SavedPlan, SavedSet, SavedState } from '../core/saved-plan.ts'
import { sensitivesIn } from '../core/sensitive.ts'
import type { Path } from '../core/source.ts'
import { variablesIn } from '../manifests/index.ts'
import type { PlatformClient } from '../platform/index.ts'
import { readActingApplication } from './acting-application.ts'
import type { ReadProject } from './open-project.ts'
import type { PlanRun } from './plan-run.ts'

/** How long a plan may be applied where nobody says otherwise. */
export const defaultMaxAgeMs = 24 * 3_600_000

export interface SaveOptions {
  readonly maxAgeMs: number
}

/** Asks the platform as whom it planned. The file's text is made by `planFileText`. */
export async function savePlan(
  opened: ReadProject,
  client: PlatformClient,
  { plan, document }: PlanRun,
  { maxAgeMs }: SaveOptions,
): Promise<Omit<SavedPlan, 'checksum'>> {
  const application = await readActingApplication(client)
  const expiresAt = new Date(Date.parse(document.createdAt) + maxAgeMs).toISOString()
  return { ...shownDocument(document, expiresAt, application), saved: stateOf(opened, plan) }
}

/** The document as it is shown: `show` prints the same as the `plan` that saved it. */
function shownDocument(
  { formatVersion, tool, target, createdAt, ...rest }: PlanDocument,
  expiresAt: string,
  application: ActingApplication,
): PlanDocument & Pick<SavedPlan, 'expiresAt' | 'application'> {
  return { formatVersion, tool, target, createdAt, expiresAt, application, ...rest }
}

/** What a saved plan shows, without what it takes to apply it. */
export function documentOf({ saved: _, checksum: __, ...document }: SavedPlan): PlanDocument {
  return document
}

function stateOf(opened: ReadProject, plan: PlanRun['plan']): SavedState {
  const { project, assembly, fold } = opened
  const { objects, accounts, behind } = foundationsOf(plan, fold)
  const changes = [...objects.map(({ change }) => change), ...accounts, ...behind]
  const declarations = declarationsBehind(changes)
  const indexOf = new Map(declarations.map((declaration, index) => [declaration, index]))
  const sets = setsUsed(
    changes.flatMap(({ desired }) => (desired === undefined ? [] : [desired])),
    assembly.sets,
  )
  const secrets = declarations.flatMap(({ item }) => sensitivesIn(item))
  const names = new Set(secrets.flatMap(({ template }) => variablesIn(template)))
  const { variables } = project.target
  return {
    svcIds: project.target.svcIds,
    collections: assembly.collections,
    timeZone: assembly.time.timeZone,
    // The others are taken from the project that applies, as references are.
    variables: Object.fromEntries(
      [...names].sort().flatMap((name) => {
        const value = variables[name] ?? ''
        return typeof value === 'string' ? [[name, value]] : []
      }),
    ),
    sets: sets.map(savedSet),
    overrides: overridingFiles(declarations, assembly.overrides),
    declarations: declarations.map((declaration) => savedDeclaration(declaration, opened, indexOf)),
    objects: objects.map(({ change, basis }) => ({ address: change.address, basis })),
    accounts: accounts.map(({ address }) => address),
    behind: behind.map(({ address }) => address),
    listed: plan.changes.some(takesAway) ? Object.fromEntries([...listedIn(plan.changes)].sort(byName)) : {},
    declaredAs: declaredAs(opened, plan),
    pruned: objects.flatMap(({ change: { live, prunedBy } }) =>
      live === undefined || prunedBy === undefined
        ? []
        : [{ kind: live.kind.name, name: live.name, pattern: prunedBy }],
    ),
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** Policies ask of an account whether it is declared, and the file holds few declarations. */
function declaredAs({ policies = [], declarations, fold }: ReadProject, { changes }: PlanRun['plan']) {
  if (!policies.some(({ on }) => on === 'change')) return {}
  const listed = new Set<string>()
  for (const { action, live, desired } of changes) {
    if (action === 'none') continue
    for (const elements of Object.values(live?.collections ?? {}))
      for (const { svcId } of elements) listed.add(fold(svcId))
    for (const { elements } of Object.values(desired?.collections ?? {}))
      for (const { element } of elements.values()) listed.add(fold(element.svcId))
  }
  const known = declarations.flatMap((declaration): [string, 'user' | 'group'][] => {
    const { kind, section } = declaration
    const svcId = fold(identityOf(declaration))
    return kind.provides !== undefined && !section.partial && listed.has(svcId) ? [[svcId, kind.provides]] : []
  })
  return Object.fromEntries(known.sort(byName))
}

function overridingFiles(declarations: readonly Declaration[], overrides: ReadonlySet<string> = new Set()): string[] {
  return [...new Set(declarations.map(({ source }) => source.file))].filter((file) => overrides.has(file)).sort()
}

function savedDeclaration(
  declaration: Declaration,
  { project, displayBase }: ReadProject,
  indexOf: ReadonlyMap<Declaration, number>,
): SavedDeclaration {
  const { kind, section, item, source, database, parent } = declaration
  const file = relative(project.dir, resolve(displayBase, source.file)).split(sep).join('/')
  return {
    kind: kind.name,
    section: section.key,
    item: saveItem(item, (path: Path) => placeIn(declaration, path)),
    file,
    place: placeIn(declaration, []),
    ...(database !== undefined && { database }),
    ...(parent !== undefined && { parent: indexOf.get(parent) as number }),
  }
}

function savedSet(set: AccountSet): SavedSet {
  return { name: set.name, items: saveItem(set.items, (path) => placeInSet(set, path)), place: set.place }
}

/** The sets that the lists name, and those that they name in turn. */
function setsUsed(desired: readonly Desired[], sets: ReadonlyMap<string, AccountSet>): AccountSet[] {
  const used = new Set<string>()
  const use = (name: string | undefined): void => {
    if (name === undefined || used.has(name)) return
    used.add(name)
    for (const item of sets.get(name)?.items ?? []) use(readAccountEntry(item).set)
  }
  for (const { kind, declarations } of desired) {
    for (const { section, item } of declarations) {
      for (const [field, { collection }] of Object.entries(section.schema.properties)) {
        const value = item[field]
        if (collection === undefined || value === undefined) continue
        for (const { set } of kind.collections[collection]?.fromManifest(value).elements ?? []) use(set)
      }
    }
  }
  return [...sets.values()].filter(({ name }) => used.has(name))
}
