// The fields of the interface as YAML, with names where it wants guids: checked whole before anything is uploaded.
import { findDatabase } from '@svcsync/core/assemble/as-written-directory.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { isMisread, type Kind, type Location } from '@svcsync/core/model/kind.ts'
import { didYouMean, nearMisses, quoted } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { ObjectSchema, Schema } from '@svcsync/core/model/schema.ts'
import { offsetAt } from '@svcsync/core/model/source.ts'
import { PlatformError, type Problem } from '@svcsync/errors/index.ts'
import { shownPath } from '@svcsync/files/paths.ts'
import { type Candidate, companyList, MetadataLists, matching } from '@svcsync/live/metadata-lists.ts'
import { readList } from '@svcsync/live/read-list.ts'
import { readDocument } from '@svcsync/manifests/read-document.ts'
import { isSource, readText } from '@svcsync/manifests/read-text.ts'
import { mappingShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import type { Project } from '@svcsync/project/project.ts'

const flag = (description: string): Schema => ({ type: 'boolean', description })
const text = (description: string): Schema => ({ type: 'string', minLength: 1, description })
const list = (items: Schema, description: string): Schema => ({
  type: 'array',
  minItems: 1,
  items,
  description,
})
const guid: Schema = { type: 'string', minLength: 1 }

/** The parts that can be overwritten whole or item by item, as the interface calls them. */
const overwritten = [
  'GlobalBusinessRules',
  'GlobalFormRules',
  'GlobalFields',
  'GlobalConstants',
  'GlobalAutomations',
  'DataSources',
  'Connections',
  'PluginPackages',
]

function titleOf(field: string): string {
  return field.replace(/(?!^)[A-Z]/g, ' $&').toLowerCase()
}

const entries = (key: string): Schema => ({
  type: 'object',
  required: [key],
  properties: { [key]: guid, overwriteElements: { type: 'boolean' } },
})

export const importConfigSchema: ObjectSchema = {
  type: 'object',
  properties: {
    database: text('The database, by its name in the target. Optional if the target has one.'),
    importAllNewApplications: flag('Applications that are not there yet.'),
    importAllModifiedApplications: flag('Applications that are there and differ.'),
    importAllPresentationObjects: flag('Reports, dashboards and other objects that show data.'),
    importAllNewProcesses: flag('Processes that are not there yet.'),
    importAllModifiedProcesses: flag('Processes that are there and differ.'),
    importOnlySelectedApplications: list(
      {
        type: 'object',
        required: ['appGuid'],
        properties: {
          appGuid: guid,
          importOnlySelectedPresentationsObjects: list(guid, 'Guids of objects that show data.'),
          importOnlySelectedProcesses: list(
            {
              type: 'object',
              required: ['processGuid'],
              properties: {
                processGuid: guid,
                // A boolean, in spite of its name. Source: facts.
                deploymentMode: { type: 'boolean', nullable: true },
                deploymentModeMailRecipient: { ...guid, nullable: true },
              },
            },
            'Processes by name or guid, and how each is deployed.',
          ),
        },
      },
      'Applications by name or guid. Use the guid of an application that does not exist yet.',
    ),
    importSvcGroups: flag('Groups of the package.'),
    importOnlySelectedSvcGroups: list(guid, 'svcIds of groups.'),
    overwriteAllBusinessEntitiesPrivilegeSettings: flag('Privileges of all business entities.'),
    overwriteSelectedBusinessEntitiesPrivilegeSettings: list(guid, 'Business entities by name, code or guid.'),
    overwriteSecuritySettings: flag('Privileges of applications and processes.'),
    ...Object.fromEntries(
      overwritten.flatMap((kind) => [
        [`overwriteAll${kind}`, flag(`All ${titleOf(kind)} that are there.`)],
        [`overwriteSelected${kind}`, list(guid, `Some ${titleOf(kind)}.`)],
      ]),
    ),
    overwriteAllProcessesDeploymentMode: flag('How processes are deployed.'),
    overwriteAllProcessesDeploymentModeMailRecipient: text(
      'The recipient of mail from processes that are deployed for tests.',
    ),
    importAllDictionaryElements: flag('Elements of dictionaries.'),
    overwriteAllDictionaryItems: flag('Elements of dictionaries that are there.'),
    importOnlySelectedDictionaryElements: list(entries('dictionaryGuid'), 'Dictionaries by guid.'),
    importAllDocTemplates: flag('Templates of documents.'),
    overwriteAllDocTemplates: flag('Templates of documents that are there.'),
    importOnlySelectedDocTemplates: list(entries('docTemplateGuid'), 'Templates of documents by guid.'),
    ignoreNoExistingGUID: flag('Continue if the package lacks a named object.'),
  },
}

/** No operation lists them. */
const guidOnlyOptions = [
  ['importOnlySelectedDictionaryElements', 'dictionaryGuid', 'dictionaries'],
  ['importOnlySelectedDocTemplates', 'docTemplateGuid', 'templates of documents'],
] as const

/** A list that is given wins over these. Source: facts, import configuration. */
export const supersededOptions: Readonly<Record<string, readonly string[]>> = {
  importOnlySelectedApplications: [
    'importAllNewApplications',
    'importAllModifiedApplications',
    'importAllNewProcesses',
    'importAllModifiedProcesses',
  ],
  importOnlySelectedSvcGroups: ['importSvcGroups'],
  overwriteSelectedBusinessEntitiesPrivilegeSettings: ['overwriteAllBusinessEntitiesPrivilegeSettings'],
  ...Object.fromEntries(overwritten.map((kind) => [`overwriteSelected${kind}`, [`overwriteAll${kind}`]])),
  importOnlySelectedDictionaryElements: ['importAllDictionaryElements'],
  importOnlySelectedDocTemplates: ['importAllDocTemplates'],
}

interface ImportConfig {
  readonly root: JsonObject
  readonly database: { readonly name: string; readonly dbId: number } | undefined
  readonly problems: Problem[]
  readonly source: TextSource | undefined
}

/** `problems` has whatever is wrong; names are not looked up yet. */
export function readImportConfig(
  path: string,
  displayBase: string,
  databases: Readonly<Record<string, number>>,
): ImportConfig {
  const read = readText(path, shownPath(path, displayBase))
  if (!isSource(read)) {
    const hint = read.code === 'SVC1001' ? '`svcsync import --init FILE` writes one to begin with.' : read.hint
    const problem = { ...read, hint }
    return { root: {}, database: undefined, problems: [problem], source: undefined }
  }
  const problems: Problem[] = []
  const kind = {
    root: 'the configuration of an import',
    begins: '`importAllNewApplications: true`',
    code: 'SVC1103',
  } as const
  const root = readDocument(read, path, mappingShapeOf(importConfigSchema, []), kind, problems) ?? {}
  const report = (code: Problem['code'], message: string, hint: string, ...keys: readonly string[]): void => {
    problems.push({ code, severity: 'error', message, place: read.placeAt(offsetAt(read, root, keys)), hint })
  }
  for (const [field, flags] of Object.entries(supersededOptions)) {
    const idle = flags.filter((each) => root[each] === true)
    if (root[field] === undefined || idle.length === 0) continue
    const message = `\`${field}\` overrides ${quoted(idle)}, which would have no effect`
    report('SVC2188', message, 'Keep one of the two.', idle[0] as string)
  }
  if (problems.length === 0 && Object.keys(root).every((key) => key === 'database'))
    report('SVC2188', 'The configuration imports nothing', `Add what to import: ${kind.begins}.`)
  const names = Object.keys(databases)
  const ref = typeof root.database === 'string' ? root.database : names.length === 1 ? names[0] : undefined
  const database = ref === undefined ? undefined : findDatabase(databases, ref)
  if (database === undefined && problems.length === 0) {
    const message = ref === undefined ? 'The configuration names no database' : `The target has no database \`${ref}\``
    report(
      'SVC1401',
      message,
      `Write \`database:\` with one of ${names.map((name) => `\`${name}\``).join(', ')}.`,
      'database',
    )
  }
  return { root, database, problems, source: read }
}

const guidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Guids for names, `null` for lists that are not given. Undefined where there are problems. */
export async function resolveImportConfig(
  { root, database, problems, source }: ImportConfig,
  port: PlatformPort,
  project: Pick<Project, 'kinds' | 'settings'>,
): Promise<JsonObject | undefined> {
  if (database === undefined || source === undefined) return undefined
  const names = new NameLookUp({ root, database, problems, source }, port, project)
  const resolved = await names.resolve()
  if (problems.length > 0) return undefined
  const { database: _, ...given } = root
  const whole: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(importConfigSchema.properties)) {
    if (name === 'database') continue
    whole[name] = resolved[name] ?? given[name] ?? (schema.type === 'boolean' ? false : null)
  }
  return isJsonObject(whole) ? whole : undefined
}

type Path = readonly (string | number)[]
type CandidateReader = (() => Promise<readonly Candidate[]>) | undefined
type WholeConfig = { readonly [Key in keyof ImportConfig]: NonNullable<ImportConfig[Key]> }

class NameLookUp {
  readonly #config: WholeConfig
  readonly #port: PlatformPort
  readonly #kinds: readonly Kind[]
  readonly #pageSize: number
  readonly #lists = new MetadataLists()
  readonly #here: Location
  readonly #outer: Kind
  readonly #inner: Kind

  constructor(config: WholeConfig, port: PlatformPort, { kinds, settings }: Pick<Project, 'kinds' | 'settings'>) {
    this.#config = config
    this.#port = port
    this.#kinds = kinds
    this.#pageSize = settings.pageSize
    this.#here = { dbId: config.database.dbId } as unknown as Location
    const found = kinds.filter(({ lookup }) => lookup !== undefined)
    this.#outer = found.find(({ parent }) => parent === undefined) as Kind
    this.#inner = found.find(({ parent }) => parent === this.#outer.name) as Kind
  }

  async resolve(): Promise<Readonly<Record<string, Json>>> {
    const { root, database } = this.#config
    const applications = await this.#applications()
    const resolved: Record<string, Json> = {
      ...(root[chosenField] !== undefined && { [chosenField]: applications }),
      ...(await this.#selected('overwriteSelectedBusinessEntitiesPrivilegeSettings', 'business entity', () =>
        this.#metadata(companyList(database.dbId)),
      )),
    }
    for (const field of overwritten) {
      const kind = this.#kinds.find((each) => calls(each, field))
      const what = kind?.name.replaceAll('-', ' ') ?? titleOf(field)
      const read = kind && this.#listedBy(kind, this.#here)
      Object.assign(resolved, await this.#selected(`overwriteSelected${field}`, what, read))
    }
    for (const [name, key, what] of guidOnlyOptions)
      await this.#lookUpIn((root[name] ?? []) as readonly JsonObject[], [name], key, what, undefined)
    return resolved
  }

  async #applications(): Promise<Json[]> {
    const chosen = (this.#config.root[chosenField] ?? []) as readonly JsonObject[]
    const read = this.#listedBy(this.#outer, this.#here)
    const appGuids = await this.#lookUpIn(chosen, [chosenField], 'appGuid', this.#outer.name, read)
    const applications: Json[] = []
    for (const [index, each] of chosen.entries()) {
      const appGuid = appGuids[index] as string
      const within = each.importOnlySelectedProcesses as readonly JsonObject[] | undefined
      const path = [chosenField, index, 'importOnlySelectedProcesses']
      const ofProcesses = this.#processesOf(appGuid)
      const guids = await this.#lookUpIn(within ?? [], path, 'processGuid', this.#inner.name, ofProcesses)
      const shown = (each[presented] ?? []) as readonly string[]
      await this.#lookUp(shown, (at) => [chosenField, index, presented, at], 'objects that show data', undefined)
      applications.push({
        appGuid,
        [presented]: each[presented] ?? null,
        importOnlySelectedProcesses:
          within?.map((process, at) => ({
            processGuid: guids[at] as string,
            deploymentMode: process.deploymentMode ?? null,
            deploymentModeMailRecipient: process.deploymentModeMailRecipient ?? null,
          })) ?? null,
      })
    }
    return applications
  }

  async #selected(field: string, what: string, read: CandidateReader): Promise<Record<string, Json> | undefined> {
    const values = this.#config.root[field] as readonly string[] | undefined
    return values && { [field]: [...(await this.#lookUp(values, (index) => [field, index], what, read))] }
  }

  #lookUpIn(items: readonly JsonObject[], path: Path, key: string, what: string, read: CandidateReader) {
    const values = items.map((each) => String(each[key] ?? ''))
    return this.#lookUp(values, (index) => [...path, index, key], what, read)
  }

  /** Guids for names. The list is read where a name stands, and not for guids alone. */
  async #lookUp(
    values: readonly string[],
    pathOf: (index: number) => Path,
    what: string,
    read: CandidateReader,
  ): Promise<readonly string[]> {
    const candidates = values.every((value) => guidForm.test(value)) ? [] : await read?.()
    return values.map((value, index) => this.#guidOf(value, pathOf(index), candidates, what))
  }

  #guidOf(value: string, path: Path, candidates: readonly Candidate[] | undefined, what: string): string {
    if (value === '' || guidForm.test(value)) return value
    if (candidates === undefined) {
      this.#report(
        'SVC1401',
        path,
        `\`${value}\` is no guid, and the platform does not list ${what} by name`,
        'Write the guid.',
      )
      return value
    }
    const [only, second] = matching(candidates, value)
    if (only !== undefined && second === undefined) return only.guid
    const usual = 'Use the guid of objects that are new in the package, or that share a name.'
    const names = candidates.map(({ name }) => name)
    const hint = didYouMean(nearMisses(value, names)) ?? usual
    if (only === undefined) this.#report('SVC1401', path, `The platform has no ${what} \`${value}\``, hint)
    else this.#report('SVC1402', path, `Several are a ${what} \`${value}\``, usual)
    return value
  }

  #report(code: 'SVC1401' | 'SVC1402', path: Path, message: string, hint: string): void {
    const { root, problems, source } = this.#config
    problems.push({ code, severity: 'error', message, place: source.placeAt(offsetAt(source, root, path)), hint })
  }

  async #metadata(request: Parameters<MetadataLists['read']>[1]): Promise<readonly Candidate[]> {
    if (request.needs) await this.#port.authorise(request.needs)
    const found = await this.#lists.read(this.#port, request)
    if (found instanceof PlatformError) throw found
    return found
  }

  #listedBy(kind: Kind, at: Location): NonNullable<CandidateReader> {
    return async () => {
      await this.#port.authorise(kind.scopes.read)
      if (kind.lookup !== undefined) return this.#metadata({ request: kind.lookup.request(at), key: kind.lookup.key })
      const request = kind.requests.list?.(at)
      if (request === undefined) return []
      const listed = await readList(this.#port, kind, at, request, { pageSize: this.#pageSize })
      const parts = [...listed.values()].flat()
      return parts.flatMap((part) => (isMisread(part) ? [] : [{ guid: part.self, name: part.name }]))
    }
  }

  /** The processes of a missing application are not requested. */
  #processesOf(appGuid: string): NonNullable<CandidateReader> {
    return async () => {
      if (!guidForm.test(appGuid)) return []
      const at = { ...this.#here, [this.#outer.name]: appGuid } as unknown as Location
      return this.#listedBy(this.#inner, at)().catch((error: unknown) => {
        // A new application of the package has no names yet that could be looked up.
        if (error instanceof PlatformError && error.status === 404) return []
        throw error
      })
    }
  }
}

const chosenField = 'importOnlySelectedApplications'
const presented = 'importOnlySelectedPresentationsObjects'

/** The interface has its own words for what manifests declare: `GlobalConstants`, `Connections`. */
function calls({ title, sections, scope }: Kind, field: string): boolean {
  if (scope !== 'database') return false
  return [title, sections[0].key].some((name) => name.replaceAll(' ', '').toLowerCase() === field.toLowerCase())
}
