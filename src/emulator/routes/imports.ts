// /db/{dbId}/importsessions: a package in chunks, its configuration, and what becomes of it. API 6.0 only. Source: reference,
// import; facts, import session. A chunk that is there already is answered like one that is taken: our choice.
import { applyEdits } from '../control/edits.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { type Call, done, type Route, withBody } from '../http/route.ts'
import {
  count,
  filledText,
  flag,
  integer,
  listOf,
  nullable,
  optional,
  partial,
  record,
  type Shape,
  text,
} from '../shape/shape.ts'
import { guidFor } from '../state/id-source.ts'
import { chunksOf, finish, type ImportSession, importStatus, takeChunk } from '../state/import-sessions.ts'

const ofImports = { only: '6.0', scopes: ['Admin.Import', 'Admin.ReadWrite.All'] } as const
const path = '/db/:dbId/importsessions/:sessionId'

const flags = [
  'importAllNewApplications',
  'importAllModifiedApplications',
  'importAllPresentationObjects',
  'importAllNewProcesses',
  'importAllModifiedProcesses',
  'importSvcGroups',
  'overwriteAllBusinessEntitiesPrivilegeSettings',
  'overwriteSecuritySettings',
  'overwriteAllProcessesDeploymentMode',
  'importAllDictionaryElements',
  'overwriteAllDictionaryItems',
  'importAllDocTemplates',
  'overwriteAllDocTemplates',
  'ignoreNoExistingGUID',
]
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
const texts = nullable(listOf(filledText))
const processEntry = record({
  processGuid: filledText,
  deploymentMode: optional(nullable(flag)),
  deploymentModeMailRecipient: optional(nullable(filledText)),
})
const applicationEntry = record({
  appGuid: filledText,
  importOnlySelectedPresentationsObjects: optional(texts),
  importOnlySelectedProcesses: optional(nullable(listOf(processEntry))),
})
const entriesBy = (key: string) => nullable(listOf(record({ [key]: filledText, overwriteElements: optional(flag) })))
const configuration = partial({
  ...Object.fromEntries(flags.map((name): [string, Shape<unknown>] => [name, flag])),
  ...Object.fromEntries(
    overwritten.flatMap((kind): [string, Shape<unknown>][] => [
      [`overwriteAll${kind}`, flag],
      [`overwriteSelected${kind}`, texts],
    ]),
  ),
  importOnlySelectedApplications: nullable(listOf(applicationEntry)),
  importOnlySelectedSvcGroups: texts,
  overwriteSelectedBusinessEntitiesPrivilegeSettings: texts,
  overwriteAllProcessesDeploymentModeMailRecipient: nullable(filledText),
  importOnlySelectedDictionaryElements: entriesBy('dictionaryGuid'),
  importOnlySelectedDocTemplates: entriesBy('docTemplateGuid'),
})

function databaseOf({ state, params }: Call): number {
  const dbId = Number(params.dbId)
  if (!state.databases.has(dbId)) throw notFound(`database ${params.dbId}`)
  return dbId
}

/** The session as it is now: what is due by now has been done. */
function find(call: Call): ImportSession | undefined {
  const { state, params } = call
  const dbId = databaseOf(call)
  const session = state.imports.get(params.sessionId ?? '')
  if (session === undefined || session.dbId !== dbId) return undefined
  if (session.status === importStatus.inProgress && state.now() >= session.dueMs)
    finish(session, (edit) => applyEdits(state, [edit]))
  return session
}

function sessionOf(call: Call): ImportSession {
  const session = find(call)
  if (session === undefined) throw notFound(`import session "${call.params.sessionId}"`)
  return session
}

const invalid = (description: string) => new Refusal(400, 'ImportException', description)

export const importRoutes: readonly Route[] = [
  withBody({
    method: 'POST',
    path: '/db/:dbId/importsessions',
    ...ofImports,
    status: 201,
    body: record({ chunkSize: count, totalSize: count }),
    answer: record({ sessionId: text }),
    handle(call, { chunkSize, totalSize }) {
      const dbId = databaseOf(call)
      if (chunkSize === 0 || totalSize === 0) throw invalid('A package and its chunks have at least one byte.')
      const { imports } = call.state
      const id = guidFor('import', imports.size + 1)
      const rest = { next: 1, head: Buffer.alloc(0), configuration: undefined, dueMs: 0 }
      imports.set(id, { id, dbId, chunkSize, totalSize, ...rest, status: importStatus.created, logs: '' })
      return { sessionId: id }
    },
  }),
  {
    method: 'POST',
    path: `${path}/:chunkNumber`,
    ...ofImports,
    upload: true,
    answer: record({ nextChunkIndex: integer }),
    handle(call, body) {
      const session = sessionOf(call)
      const bytes = body as Buffer
      const { chunkSize, totalSize, next } = session
      const number = Number(call.params.chunkNumber)
      const last = chunksOf(session)
      if (session.status !== importStatus.created) throw invalid('The import has begun.')
      if (!Number.isInteger(number) || number < 1 || number > last) throw invalid(`Chunks go from 1 to ${last}.`)
      if (number > next) throw invalid(`Chunk ${next} comes first.`)
      const size = number === last ? totalSize - (last - 1) * chunkSize : chunkSize
      if (bytes.length !== size) throw invalid(`Chunk ${number} has ${size} bytes, and ${bytes.length} came.`)
      if (number === next) takeChunk(session, bytes)
      return { nextChunkIndex: session.next }
    },
  },
  withBody({
    method: 'PATCH',
    path,
    ...ofImports,
    body: configuration,
    handle(call, body) {
      const session = sessionOf(call)
      if (session.status !== importStatus.created) throw invalid('The import has begun.')
      if (session.next <= chunksOf(session)) throw invalid(`Chunk ${session.next} is missing.`)
      session.configuration = body as ImportSession['configuration']
      session.status = importStatus.inProgress
      session.dueMs = call.state.now() + call.state.syncDelayMs
      return done
    },
  }),
  {
    method: 'GET',
    path: `${path}/status`,
    ...ofImports,
    answer: record({ status: integer, logs: text }),
    handle(call) {
      const session = find(call)
      return { status: session?.status ?? importStatus.missing, logs: session?.logs ?? '' }
    },
  },
  { method: 'GET', path: `${path}/logs`, ...ofImports, answer: text, handle: (call) => sessionOf(call).logs },
]
