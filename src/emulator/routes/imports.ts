// /db/{dbId}/importsessions: a package in chunks, its configuration, and its outcome. API 6.0 only. Source: reference,
// import; facts, import session. Our choices: a repeated chunk gets the answer of an accepted one, and the first line
// of a package is JSON with its content.
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { applyEdits } from '../control/edits.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { act, type Call, done, get, type Route, write } from '../http/route.ts'
import * as s from '../shape/shape.ts'
import { guidFor } from '../state/id-source.ts'
import type { ImportSession } from '../state/platform-state.ts'
import { databaseOf } from './lookup.ts'

/** Source: facts, import status numbers. */
const importStatus = {
  error: 0,
  completed: 1,
  completedWithError: 2,
  missing: 3,
  created: 4,
  inProgress: 5,
} as const

const packageShape = s.record({
  /** The effects on the installation; `with`: only if the configuration says so. */
  brings: s.listOf(s.record({ with: s.optional(s.filledText), edit: s.anything })),
  /** Returned unchanged, before the other fields. */
  logs: s.optional(s.text),
})

/** The first line of a package is no longer than this. */
const headBytes = 4 * 1024 * 1024

function chunksOf({ totalSize, chunkSize }: ImportSession): number {
  return Math.ceil(totalSize / chunkSize)
}

/** Does what the package says: `edit` throws where it cannot be done. */
function finish(session: ImportSession, edit: (what: unknown) => void): void {
  const content = contentOf(session.head)
  if (typeof content === 'string') {
    session.status = importStatus.error
    session.logs += `ERROR The file is no package: ${content}.\n`
    return
  }
  session.logs += content.logs ?? ''
  session.status = importStatus.completed
  for (const [at, { with: field, edit: what }] of content.brings.entries()) {
    const name = `${at + 1} of ${content.brings.length}${isJsonObject(what) ? ` (${Object.keys(what).join()})` : ''}`
    if (field !== undefined && session.configuration?.[field] !== true) {
      session.logs += `INFO ${name}: left out, since ${field} is not set\n`
      continue
    }
    try {
      edit(what)
      session.logs += `INFO ${name}: done\n`
    } catch (error) {
      session.status = importStatus.completedWithError
      session.logs += `ERROR ${name}: ${error instanceof Error ? error.message : 'failed'}\n`
    }
  }
}

/** Or why it is none. */
function contentOf(head: Buffer): s.TypeOf<typeof packageShape> | string {
  const end = head.indexOf(10)
  const value: unknown = parseJson(head.subarray(0, end < 0 ? head.length : end).toString('utf8'))
  if (value === undefined) return 'its first line is not JSON'
  const [failure] = s.failuresOf(packageShape, value)
  return failure === undefined
    ? (value as s.TypeOf<typeof packageShape>)
    : `${s.showPath(failure.path)} ${failure.message}`
}

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

/** The session as of now, after every due change. */
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
const start = { body: s.record(s.each(['chunkSize', 'totalSize'], s.count)), answer: s.record({ sessionId: s.text }) }
const chunkAnswer = s.record({ nextChunkIndex: s.integer })

export const importRoutes: readonly Route[] = [
  write('POST', sessions, scopes, { only, status: 201, ...start }, (call, { chunkSize, totalSize }) => {
    const { id: dbId } = databaseOf(call)
    if (chunkSize === 0 || totalSize === 0) throw invalid('A package and its chunks have at least one byte.')
    const { imports } = call.state
    const id = guidFor('import', imports.size + 1)
    const rest = { next: 1, head: Buffer.alloc(0), configuration: undefined, dueMs: 0 }
    imports.set(id, { id, dbId, chunkSize, totalSize, ...rest, status: importStatus.created, logs: '' })
    return { sessionId: id }
  }),
  act('POST', `${path}/:chunkNumber`, scopes, { only, upload: true, answer: chunkAnswer }, (call, body) => {
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
    if (number === next) {
      session.next += 1
      session.head = Buffer.concat([session.head, bytes.subarray(0, Math.max(0, headBytes - session.head.length))])
    }
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
