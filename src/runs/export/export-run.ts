// A run that exports: reads everything that is live, and gives it as manifests.
import { databaseName } from '@svcsync/core/assemble/as-written-directory.ts'
import { declaredTest } from '@svcsync/core/assemble/declared-test.ts'
import { needsNames, selectDeclarations } from '@svcsync/core/assemble/select-declarations.ts'
import { type NormaliseSvcId, selectionOf, svcIdMatcher } from '@svcsync/core/model/address.ts'
import { placeIn } from '@svcsync/core/model/declaration.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { LiveTree, UnreadPart } from '@svcsync/core/model/live-tree.ts'
import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { plainText } from '@svcsync/core/model/sensitive.ts'
import { AuthorError, distinctProblems, OperatorError, PlatformError, type Problem } from '@svcsync/errors/index.ts'
import { type Exported, exportFiles } from '@svcsync/export/export-files.ts'
import { sectionFiles } from '@svcsync/export/file-places.ts'
import type { Extent } from '@svcsync/export/fitting.ts'
import { discover } from '@svcsync/live/discover.ts'
import { companyList, MetadataLists } from '@svcsync/live/metadata-lists.ts'
import { assembleByNames } from '@svcsync/live/observe.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { Project } from '@svcsync/project/project.ts'
import { hasErrors, type OpenedProject, scopeOf } from '../open/open-project.ts'
import { exportNeeds, refusedKinds } from '../open/scope-needs.ts'
import { secretsOf } from '../open/secrets-of.ts'
import { checkInstallation, installationNeeds } from '../plan/check-installation.ts'
import { pruneOf, prunePatterns } from '../plan/prune-plan.ts'
import { eachOnce } from '../plan/read-undeclared.ts'

export interface ExportRunOptions {
  /** Globs over addresses. None: all. */
  readonly only: readonly string[]
  readonly extent: Extent
  schemaFor(file: string): string
  readonly onProgress?: ((objects: number) => void) | undefined
  /** Adds business entities and their accounts as comments. */
  readonly entities?: boolean
  readonly missing?: { readonly opened: OpenedProject; isTaken(file: string): boolean } | undefined
}

/** `prune` and `protect`: where the manifests go into a project that has them. */
type ExportedProject = Pick<Project, 'target' | 'settings' | 'kinds'> & Partial<Pick<Project, 'prune' | 'protect'>>

/** Unreadable parts are in `leftOut`. Rejects if nothing is readable, and for globs that select nothing. */
export async function exportRun(
  project: ExportedProject,
  client: PlatformClient,
  options: ExportRunOptions,
): Promise<Exported> {
  const { target, settings, kinds } = project
  const { only, onProgress, missing } = options
  const { normalise } = client
  const databases = eachOnce(target.databases)
  const needed = exportNeeds(kinds, only)
  const { refused, error } = await refusedKinds(client, new Map([...namedIn(needed.keys()), ...needed]))
  // Nothing may be read.
  if (error !== undefined && [...needed.keys()].every((kind) => refused.has(kind))) throw error
  const pinned = installationNeeds(project)
  if (pinned.length > 0) await client.authorise(pinned)
  await checkInstallation(project, client, { applies: false })
  const { pageSize } = settings
  const apart = missing && (await undeclared(client, missing.opened, only))
  const metadata = apart?.reading.metadata ?? new MetadataLists()
  const reading = {
    kinds,
    databases,
    only,
    within: scopeOf({ target }),
    refused,
    pageSize,
    ...apart?.reading,
    metadata,
  }
  const tree = await discover(client, { ...reading, ...(onProgress && { onProgress }) })
  for (const [name, dbId] of Object.entries(databases)) refuseMissing(tree, name, dbId)
  refuseIdleGlobs(only, tree, kinds)
  const entities = options.entities === true ? await entitiesOf(client, databases, metadata) : undefined
  const { extent, schemaFor } = options
  const beside = missing && apart && { isTaken: missing.isTaken, doomOf: apart.doomOf }
  const layout = { databases: Object.keys(databases), extent, schemaFor, entities, missing: beside }
  const exported = exportFiles(tree, { kinds, normalise, ...layout })
  return { ...exported, leftOut: warnOfPrune(exported.leftOut, project, normalise) }
}

/** In one round of reads, whose answers serve the names of business entities in privileges as well. */
async function entitiesOf(
  client: PlatformClient,
  databases: Readonly<Record<string, number>>,
  lists: MetadataLists,
): Promise<NonNullable<Parameters<typeof exportFiles>[1]['entities']>> {
  const wanted = Object.entries(databases).map(([name, dbId]) => [name, companyList(dbId)] as const)
  for (const [, list] of wanted) lists.get(list)
  await lists.readWanted(client)
  return new Map(
    wanted.map(([name, list]) => {
      const found = lists.get(list) ?? []
      if (found instanceof PlatformError) throw found
      return [name, found]
    }),
  )
}

/** Files that an export may write, known before the first request. */
export function filesOfExport(
  { target, kinds }: Pick<Project, 'target' | 'kinds'>,
  only: readonly string[],
): readonly string[] {
  return sectionFiles(exportNeeds(kinds, only).keys(), Object.keys(eachOnce(target.databases)))
}

function refuseMissing(tree: LiveTree, name: string, dbId: number): void {
  const isHere = ({ database }: Pick<UnreadPart, 'database'>): boolean => database === name
  const left = tree.leftOut.filter(isHere)
  if (left.length === 0 || tree.items.some(isHere) || left.some(({ isMissing }) => isMissing !== true)) return
  throw new OperatorError('SVC2041', `The platform has no database ${dbId}`, {
    hint:
      `It is called \`${name}\` here. ` +
      `Correct its number: under \`databases\` of the target, or in \`--database ${name}=ID\`.`,
  })
}

/** The kinds of the objects that items name, such as the processes of licences: they are looked up, selected or not. */
function namedIn(kinds: Iterable<Kind>): Map<Kind, readonly ScopeNeed[]> {
  const named = [...kinds].flatMap(({ collections }) => Object.values(collections).flatMap(({ about }) => about ?? []))
  return new Map(named.flatMap((kind) => (kind === 'company' ? [] : [[kind, kind.scopes.read]])))
}

/** The export would lack what the glob was to select. */
function refuseIdleGlobs(
  globs: readonly string[],
  { items, leftOut, passed, lacking }: LiveTree,
  kinds: readonly Kind[],
): void {
  const known = [...items.filter(({ wanted }) => wanted), ...leftOut, ...passed]
  const idle = globs.find((glob) => !known.some(({ address }) => selectionOf([glob], kinds)(address)))
  if (idle === undefined) return
  const meant = lacking.find(({ segment }) => idle.startsWith(`${segment}/`))
  throw new OperatorError('SVC2004', `No live object matches \`--only ${idle}\``, {
    hint: meant
      ? `The installation says that it has no ${meant.title.toLowerCase()}.`
      : 'Addresses are like `user/anna@example.com` or `process/main/Purchasing/**`.',
  })
}

/** The next plan would delete an object that the export left out, if `prune` matches it. */
function warnOfPrune(
  leftOut: readonly UnreadPart[],
  { prune = {}, protect = [], kinds }: ExportedProject,
  normalise: NormaliseSvcId,
): readonly UnreadPart[] {
  const isProtected = protect.length === 0 ? () => false : selectionOf(protect.map(plainText), kinds)
  return leftOut.map((left) => {
    const { kind, address, field } = left
    const start = `${kind.segment}/`
    if (kind.lifecycle !== 'full' || field !== undefined || !address.startsWith(start)) return left
    const patterns = prune[kind.sections[0].key] ?? []
    const name = address.slice(start.length)
    const pattern = patterns.find((each) => svcIdMatcher(plainText(each), normalise)(name))
    if (pattern === undefined || isProtected(address)) return left
    const warning =
      `The project prunes \`${pattern}\`: a plan deletes it unless a manifest mentions it. ` +
      `Declare it, or list \`${address}\` under \`protect\`.`
    return { ...left, hint: left.hint === undefined ? warning : `${left.hint} ${warning}` }
  })
}

/** It would be written twice: rejects where a manifest names what nobody can look for. */
async function undeclared(client: PlatformClient, opened: OpenedProject, only: readonly string[]) {
  const { project, assembly, desired } = opened
  const { normalise } = assembly
  const { kinds, target } = project
  const { databases } = target
  client.conceal(secretsOf(opened))
  const declarations = selectDeclarations(opened.declarations, only, ({ database }) =>
    databaseName(databases, database),
  )
  const metadata = new MetadataLists()
  const names = { ...assembly, databases, kinds }
  const named = await assembleByNames(client, declarations.filter(needsNames), names, metadata)
  const unlocated = [...named.unlocated].map(([declaration, { code = 'SVC1401', reason, hint }]): Problem => {
    const message = `svcsync cannot tell whether this is declared already: ${reason}`
    return { code, severity: 'error', message, place: placeIn(declaration, []), ...(hint !== undefined && { hint }) }
  })
  const problems = distinctProblems([...named.problems, ...unlocated])
  if (hasErrors(problems)) throw new AuthorError(problems)
  const plain = desired.filter(({ declarations: [first] }) => !needsNames(first))
  const isDeclared = declaredTest([...plain, ...named.desired], normalise)
  // Independent of the selection, since an exported list may contain other objects.
  const prune = pruneOf(opened, prunePatterns(project, []), [])
  const isPruned = (kind: Kind, name: string): boolean => 'pattern' in (prune?.judge(kind, name) ?? {})
  const absent = desired.filter((object) => object.absent && object.kind.provides !== undefined)
  const doomed = new Map(absent.map(({ key }) => [key, 'a manifest says that this is to be absent']))
  const reading: Pick<Parameters<typeof discover>[1], 'metadata' | 'onAccount' | 'passes'> = {
    metadata,
    onAccount: (kind, name) => {
      if (isPruned(kind, name)) doomed.set(normalise(name), '`prune` of the project file has a plan delete that')
    },
    passes(kind, address, name) {
      if (isDeclared(kind, address, name)) return 'declared'
      return isPruned(kind, name) ? 'prune' : undefined
    },
  }
  // Once everything is read: why an account is to be deleted, as the end of a sentence.
  return { reading, doomOf: (svcId: string) => doomed.get(normalise(svcId)) }
}
