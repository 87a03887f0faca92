// Tenant document -> state. Collects every problem before it gives up.
import type { Path } from '@svcsync/core/model/source.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, largestDocument, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { type Behaviour, type BehaviourChanges, changeBehaviour } from '../behaviour.ts'
import type { Clock } from '../clock.ts'
import { failuresOf, type ShapeFailure, showPath } from '../shape/shape.ts'
import { IdSource } from '../state/id-source.ts'
import { Licenses } from '../state/licenses.ts'
import { PlatformState } from '../state/platform-state.ts'
import { groupSides, newAccount, newGroup, newUser, type Subject } from '../state/subjects.ts'
import { loadDatabase } from './load-database.ts'
import { locateInObject, tenantError } from './tenant-error.ts'
import { type ApiApplication, type Tenant, tenantShape } from './tenant-shape.ts'

interface LoadSettings {
  readonly clock: Clock
  readonly syncDelayMs: number
  /** The defaults that the document and `behaviour` may override. */
  readonly defaults: Behaviour
  /** Wins over the document's own. */
  readonly behaviour: BehaviourChanges
}

const defaultApiApplication: ApiApplication = {
  name: 'svcsync',
  clientId: 'svcsync',
  clientSecret: 'svcsync-secret',
  scopes: 'all',
  svcId: 'app@svcsync',
}

/** Throws OperatorError that names every place that is wrong. */
export function loadTenant(document: unknown, locate: typeof locateInObject, settings: LoadSettings): PlatformState {
  const failures = failuresOf(tenantShape, document)
  if (failures.length > 0) throw tenantError(failures, locate)
  // The shape has just been checked.
  const tenant = document as Tenant
  const findings: ShapeFailure[] = []
  const ids = new IdSource(tenant.nextIds)
  reserveIds(tenant, '', ids)
  const behaviour = changeBehaviour(changeBehaviour(settings.defaults, tenant.behaviour ?? {}), settings.behaviour)
  const state = new PlatformState(settings.clock, behaviour, settings.syncDelayMs, ids)
  loadSubjects(tenant, state, findings)
  loadMembers(tenant, state, findings)
  state.licenses = new Licenses(tenant.licenses)
  for (const entry of tenant.substitutions ?? []) {
    const id = entry.id ?? ids.next('substitutions')
    state.substitutions.set(id, { ...entry, id })
  }
  for (const [at, database] of (tenant.databases ?? [{ id: 1 }]).entries()) {
    const path = ['databases', at]
    if (state.databases.has(database.id))
      findings.push({ cause: 'value', path, message: `database ${database.id} is there twice` })
    else state.databases.set(database.id, loadDatabase(database, state, path, findings))
  }
  if (findings.length > 0) throw tenantError(findings, locate)
  return state
}

/** Reserves the numbers in the document, by list, so that no other object gets them. */
function reserveIds(value: unknown, sort: string, ids: IdSource): void {
  if (Array.isArray(value)) {
    for (const item of value) reserveIds(item, sort, ids)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'id' && typeof item === 'number') ids.reserve(sort, item)
      else if (typeof item === 'object') reserveIds(item, key, ids)
    }
  }
}

function loadSubjects(tenant: Tenant, state: PlatformState, findings: ShapeFailure[]): void {
  const add = (subject: Subject, path: Path) => {
    if (state.directory.add(subject)) return
    findings.push({ cause: 'value', path: [...path, 'svcId'], message: `the svcId "${subject.svcId}" is there twice` })
  }
  for (const [at, entry] of (tenant.apiApplications ?? [defaultApiApplication]).entries()) {
    const { name, clientId, svcId = `app@${clientId}` } = entry
    const path = ['apiApplications', at]
    if (state.apiApplications.has(clientId))
      findings.push({
        cause: 'value',
        path: [...path, 'clientId'],
        message: `the clientId "${clientId}" is there twice`,
      })
    state.apiApplications.set(clientId, { ...entry, svcId })
    add(newAccount({ svcId, name, type: 'ApiApplication' }, 'apiApplication'), path)
  }
  for (const [at, entry] of tenant.accounts?.entries() ?? []) add(newAccount(entry, 'account'), ['accounts', at])
  for (const [at, entry] of tenant.users?.entries() ?? []) add(newUser(entry), ['users', at])
  for (const [at, entry] of tenant.groups?.entries() ?? []) add(newGroup(entry), ['groups', at])
}

/** After everybody is there, since groups hold groups. */
function loadMembers({ groups = [] }: Tenant, { directory }: PlatformState, findings: ShapeFailure[]): void {
  for (const [at, entry] of groups.entries()) {
    const group = directory.get('group', entry.svcId)
    if (group === undefined) continue
    for (const side of groupSides) {
      for (const [position, svcId] of (entry[side] ?? []).entries()) {
        const subject = directory.find(svcId)
        if (subject !== undefined) directory.join(group, side, subject)
        else
          findings.push({
            cause: 'value',
            path: ['groups', at, side, position],
            message: `nobody has the svcId "${svcId}"`,
          })
      }
    }
  }
}

interface TenantSource {
  readonly document: unknown
  readonly locate: typeof locateInObject
}

/** Throws OperatorError when the file cannot be read or parsed. */
export function readTenantFile(file: string): TenantSource {
  return file.endsWith('.json') ? readTenantJson(file) : readYaml(file, textOf(file))
}

function textOf(file: string): string {
  const text = readBoundedText(file, largestDocument)
  if (!isUnread(text)) return text
  throw new OperatorError('SVC2811', `the tenant file ${file} cannot be read: ${text.reason}`, {
    hint: 'Check its path: it counts from the working folder.',
    cause: text.cause,
  })
}

/** Large tenants come as JSON: it is read many times faster than YAML, at the price of places without lines. */
export function readTenantJson(file: string): TenantSource {
  const text = textOf(file)
  try {
    return { document: JSON.parse(text), locate: (path) => `${file}: ${locateInObject(path)}` }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'not JSON'
    throw new OperatorError('SVC2812', `the tenant file ${file} is not JSON: ${reason}`, { cause })
  }
}

function readYaml(file: string, text: string): TenantSource {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    const reason = error.message.replace(/ at line \d+[\s\S]*$/, '')
    throw new OperatorError('SVC2812', `${file}:${line}:${col}: the tenant file is not YAML: ${reason}`, {
      hint: 'Look at that place and just before it: mostly a quote or bracket is open, or the indentation is off.',
    })
  }
  return { document: document.toJS() ?? {}, locate: locateInYaml(file, document, lines) }
}

function locateInYaml(file: string, document: Document, lines: LineCounter): typeof locateInObject {
  return (path) => {
    const { line, col } = lines.linePos(offsetOf(document, path))
    return `${file}:${line}:${col}: ${showPath(path) || 'document'}`
  }
}

/** Offset of the key at the end of the path, or of its deepest existing part. */
function offsetOf(document: Document, path: Path): number {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const [parent, step] = [document.getIn(path.slice(0, depth), true), path[depth]]
    const pairs = isMap(parent) ? parent.items : []
    const key = pairs.map((pair) => pair.key).find((each) => isScalar(each) && each.value === step)
    const node = isSeq(parent) && typeof step === 'number' ? parent.items[step] : key
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
