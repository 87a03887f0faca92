// Makes a plan into one that can be applied later, elsewhere, without the manifests; and writes its file.
import { writtenWithoutUnmanaged } from '@svcsync/core/assemble/apply-overrides.ts'
import type { Change } from '@svcsync/core/compare/change.ts'
import { readAccountEntry } from '@svcsync/core/model/account-entry.ts'
import { type AccountSet, placeInSet } from '@svcsync/core/model/account-sets.ts'
import { type Declaration, placeIn } from '@svcsync/core/model/declaration.ts'
import { type AssemblySettings, type Desired, writtenFor } from '@svcsync/core/model/desired.ts'
import { sensitivesIn } from '@svcsync/core/model/sensitive.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import { WrittenPassword } from '@svcsync/core/model/written-password.ts'
import type { ActingApplication, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { declarationsWithParents } from '@svcsync/core/plan/precondition.ts'
import { type SavedDeclared, type SavedPlan, saveItem } from '@svcsync/core/saved/saved-plan.ts'
import { formatPlace, OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { putInPlace } from '@svcsync/files/write-atomically.ts'
import { variablesIn } from '@svcsync/manifests/resolve-template.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Base } from '../open/open-base.ts'
import type { ReadProject } from '../open/open-project.ts'
import { readActingApplication } from '../plan/acting-application.ts'
import { isDeclared } from '../plan/base-declarations.ts'
import { fileInProject } from '../plan/plan-facts.ts'
import type { PlanRun } from '../plan/plan-run.ts'

export const defaultMaxAgeMs = 24 * 3_600_000

/** Asks the platform as whom it planned. The file's text is made by `planFileText`. */
export async function savePlan(
  opened: ReadProject,
  client: PlatformClient,
  planned: PlanRun,
  { maxAgeMs, commit }: { readonly maxAgeMs: number; readonly commit?: string | undefined },
): Promise<Omit<SavedPlan, 'checksum'>> {
  const { document } = planned
  const application = await readActingApplication(client)
  const expiresAt = new Date(Date.parse(document.createdAt) + maxAgeMs).toISOString()
  return {
    ...shownDocument(document, expiresAt, application),
    saved: { ...stateOf(opened, planned), ...(commit !== undefined && { commit }) },
  }
}

/** The document for output: `show` prints the same as the `plan` that saved it. */
function shownDocument(
  { formatVersion, tool, target, createdAt, ...rest }: PlanDocument,
  expiresAt: string,
  application: ActingApplication,
): PlanDocument & Pick<SavedPlan, 'expiresAt' | 'application'> {
  return { formatVersion, tool, target, createdAt, expiresAt, application, ...rest }
}

function stateOf(opened: ReadProject, { plan, preconditions, base: declared, held }: PlanRun): SavedPlan['saved'] {
  const { project, assembly } = opened
  const base = declared ?? held
  const changeAt = new Map(plan.changes.map((change) => [change.address, change]))
  const { objects, accounts, behind } = preconditions
  const changes = [...objects.map(({ address }) => address), ...accounts, ...behind].map(
    (address) => changeAt.get(address) as Change,
  )
  const desired = changes.flatMap((change) =>
    change.desired !== undefined && isDeclared(change.desired) ? change.desired : [],
  )
  const declarations = declarationsWithParents(desired)
  refusePasswords(declarations)
  const secrets = declarations.flatMap(({ item }) => sensitivesIn(item))
  const names = new Set(secrets.flatMap(({ template }) => variablesIn(template)))
  const { variables } = project.target
  return {
    ...preconditions,
    ...writtenState(desired, declarations, assembly, opened),
    // The others are taken from the project that applies, as references are.
    variables: Object.fromEntries(
      [...names].sort().flatMap((name) => {
        const value = variables[name] ?? ''
        return typeof value === 'string' ? [[name, value]] : []
      }),
    ),
    ...(base && { base: baseState(changes, base, opened) }),
    pruned: changes.flatMap(({ live, prunedBy }) =>
      live === undefined || prunedBy === undefined
        ? []
        : [{ kind: live.kind.name, name: live.name, pattern: prunedBy }],
    ),
  }
}

/** The applying side resolves references, and has no manifests. */
function refusePasswords(declarations: readonly Declaration[]): void {
  const isWritten = (each: unknown): boolean => each instanceof WrittenPassword
  const found = declarations.filter(({ item }) => sensitivesIn(item).some(isWritten))
  if (found.length === 0) return
  throw new OperatorError('SVC1324', 'The manifests hold passwords, which no plan file may hold', {
    findings: found.map((each) => {
      const { template } = sensitivesIn(each.item).find(isWritten) as WrittenPassword
      return `${formatPlace(placeIn(each, []))}  ${template}`
    }),
    hint: 'Write `${env:NAME}` instead of each, and replace the password: git keeps the old one.',
  })
}

function writtenState(
  desired: readonly Desired[],
  declarations: readonly Declaration[],
  { collections, privileges, time, sets, ends, overrides }: AssemblySettings,
  opened: ReadProject,
) {
  const indexOf = new Map(declarations.map((declaration, index) => [declaration, index]))
  const files = new Set(declarations.map(({ source }) => source.file))
  return {
    collections,
    ...(privileges && { privileges }),
    timeZone: time.timeZone,
    sets: setsUsed(desired, sets).map((set) => {
      return { name: set.name, items: saveItem(set.items, (path) => placeInSet(set, path)), place: set.place }
    }),
    ...(ends.size > 0 && { ends: [...ends.values()].map(({ svcId, until, place }) => ({ svcId, until, place })) }),
    overrides: [...files].filter((file) => overrides?.has(file)).sort(),
    declarations: declarations.map((declaration) => savedDeclaration(declaration, opened, indexOf)),
  }
}

function baseState(
  changes: readonly Change[],
  { read, begun }: Base,
  opened: ReadProject,
): NonNullable<SavedPlan['saved']['base']> {
  const objects = changes.flatMap(({ desired, retired }) => desired ?? retired ?? [])
  const { entries, values } = opened.project.removed
  const said = (before: readonly Desired[], { assembly }: ReadProject): SavedDeclared =>
    writtenState(before, declarationsWithParents(before), assembly, opened)
  const isOf = new Map(begun?.map(({ read }) => [read, new Set(read.declarations)]))
  const saidIn = (side: ReadProject) =>
    objects.flatMap((object) =>
      (object.since?.begun ?? []).flatMap(({ said }) =>
        said && writtenFor(said).every((own) => isOf.get(side)?.has(own)) ? writtenWithoutUnmanaged(said, object) : [],
      ),
    )
  return {
    ...said(
      objects.flatMap((object) =>
        object.since === undefined || object.since.isBegun ? [] : writtenWithoutUnmanaged(object.since.base, object),
      ),
      read,
    ),
    ...(begun && { begun: begun.map((side) => said(saidIn(side.read), side.read)) }),
    removed: { entries, values },
    deleted: changes.flatMap(({ address, retired }) => (retired === undefined ? [] : address)),
  }
}

function savedDeclaration(
  declaration: Declaration,
  opened: ReadProject,
  indexOf: ReadonlyMap<Declaration, number>,
): SavedPlan['saved']['declarations'][number] {
  const { kind, section, item, database, parent } = declaration
  return {
    kind: kind.name,
    section: section.key,
    item: saveItem(item, (path: Path) => placeIn(declaration, path)),
    file: fileInProject(declaration, opened),
    place: placeIn(declaration, []),
    ...(database !== undefined && { database }),
    ...(parent !== undefined && { parent: indexOf.get(parent) as number }),
  }
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

/** It contains names and addresses of a whole installation. */
const mode = 0o600

/** In one step, for its owner alone. Throws an OperatorError; what was there before is then still there. */
export function writePlanFile(path: string, text: string, shown: string): void {
  try {
    putInPlace(path, text, mode)
  } catch (error) {
    const why = whyUnwritable(String((error as { readonly code?: unknown }).code))
    throw new OperatorError('SVC2101', `The plan cannot be written to \`${shown}\`: ${why}`, {
      cause: error,
      hint: 'Nothing was saved. Check the folder, its rights and the room on the disk.',
    })
  }
}
