// /db/{dbId}/importsessions: a package in chunks, its configuration, and what becomes of it. API 6.0 only. Source: reference,
// import; facts, import session. A chunk that is there already is answered like one that is taken: our choice.
import { applyEdits } from '../control/edits.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { act, type Call, done, get, type Route, write } from '../http/route.ts'
import * as s from '../shape/shape.ts'
import { guidFor } from '../state/id-source.ts'
import { chunksOf, finish, type ImportSession, importStatus, takeChunk } from '../state/import-sessions.ts'
import { databaseOf } from './lookup.ts'

const scopes = ['Admin.Import', 'Admin.ReadWrite.All']
const only = '6.0'
const sessions = '/db/:dbId/importsessions'
const path = `${sessions}/:sessionId`

const overwritten = [
  ...['GlobalBusinessRules', 'GlobalFormRules', 'GlobalFields', 'GlobalConstants'],
  ...['GlobalAutomations', 'DataSources', 'Connections', 'PluginPackages'],
]
const flags = [
  ...['importAllNewApplications', 'importAllModifiedApplications', 'importAllPresentationObjects'],
  ...['importAllNewProcesses', 'importAllModifiedProcesses', 'importSvcGroups'],
  ...['overwriteAllBusinessEntitiesPrivilegeSettings', 'overwriteSecuritySettings'],
  ...['overwriteAllProcessesDeploymentMode', 'importAllDictionaryElements', 'overwriteAllDictionaryItems'],
  ...['importAllDocTemplates', 'overwriteAllDocTemplates', 'ignoreNoExistingGUID'],
]
const [word, texts] = [s.nullable(s.filledText), s.nullable(s.listOf(s.filledText))]
const list = (fields: Parameters<typeof s.record>[0]) => s.nullable(s.listOf(s.record(fields)))
const processEntries = list({
  processGuid: s.filledText,
  deploymentMode: s.optional(s.nullable(s.flag)),
  deploymentModeMailRecipient: s.optional(word),
})
const overwrites = overwritten.flatMap((kind): [string, s.Shape<unknown>][] => [
  [`overwriteAll${kind}`, s.flag],
  [`overwriteSelected${kind}`, texts],
])
const configuration = s.partial({
  ...s.each(flags, s.flag),
  ...Object.fromEntries(overwrites),
  importOnlySelectedApplications: list({
    appGuid: s.filledText,
    importOnlySelectedPresentationsObjects: s.optional(texts),
    importOnlySelectedProcesses: s.optional(processEntries),
  }),
  ...s.each(['importOnlySelectedSvcGroups', 'overwriteSelectedBusinessEntitiesPrivilegeSettings'], texts),
  overwriteAllProcessesDeploymentModeMailRecipient: word,
  importOnlySelectedDictionaryElements: list({ dictionaryGuid: s.filledText, overwriteElements: s.optional(s.flag) }),
  importOnlySelectedDocTemplates: list({ docTemplateGuid: s.filledText, overwriteElements: s.optional(s.flag) }),
})

/** The session as it is now: what is due by now has been done. */
function find(call: Call): ImportSession | undefined {
  const { state, params } = call
  const { id: dbId } = databaseOf(call)
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

const invalid = (description: string) => new Refusal('ImportException', description)
const begun = { body: s.record(s.each(['chunkSize', 'totalSize'], s.count)), answer: s.record({ sessionId: s.text }) }
const taken = s.record({ nextChunkIndex: s.integer })

export const importRoutes: readonly Route[] = [
  write('POST', sessions, scopes, { only, status: 201, ...begun }, (call, { chunkSize, totalSize }) => {
    const { id: dbId } = databaseOf(call)
    if (chunkSize === 0 || totalSize === 0) throw invalid('A package and its chunks have at least one byte.')
    const { imports } = call.state
    const id = guidFor('import', imports.size + 1)
    const rest = { next: 1, head: Buffer.alloc(0), configuration: undefined, dueMs: 0 }
    imports.set(id, { id, dbId, chunkSize, totalSize, ...rest, status: importStatus.created, logs: '' })
    return { sessionId: id }
  }),
  act('POST', `${path}/:chunkNumber`, scopes, { only, upload: true, answer: taken }, (call, body) => {
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
  }),
  write('PATCH', path, scopes, { only, body: configuration }, (call, body) => {
    const session = sessionOf(call)
    if (session.status !== importStatus.created) throw invalid('The import has begun.')
    if (session.next <= chunksOf(session)) throw invalid(`Chunk ${session.next} is missing.`)
    session.configuration = body as ImportSession['configuration']
    session.status = importStatus.inProgress
    session.dueMs = call.state.now() + call.state.syncDelayMs
    return done
  }),
  get(`${path}/status`, scopes, { only, answer: s.record({ status: s.integer, logs: s.text }) }, (call) => {
    const { status = importStatus.missing, logs = '' } = find(call) ?? {}
    return { status, logs }
  }),
  get(`${path}/logs`, scopes, { only, answer: s.text }, (call) => sessionOf(call).logs),
]
