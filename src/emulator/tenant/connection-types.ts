// The six types of data connections: their nodes, their fields, what can be read back, and which are credentials.
import { createHash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import * as s from '../shape/shape.ts'

export const connectionNodes = {
  SQL: 'sql',
  DbB: 'dbb',
  REST: 'rest',
  SOAP: 'soap',
  DocPortal: 'docportal',
  MailServer: 'mailserver',
} as const
type ConnectionType = keyof typeof connectionNodes
type ConnectionNode = (typeof connectionNodes)[ConnectionType]
export const connectionType = s.oneOf(...(Object.keys(connectionNodes) as ConnectionType[]))
type SqlModel = 'integratedAuthentication' | 'connectionType'

/** Fields that are written and never read: for REST and mail, a client's id is part of the credentials, too. */
const secretFields = new Set(['user', 'password', 'clientId', 'clientSecret', 'applicationId'])

type Fields = Readonly<Record<string, s.Shape<unknown>>>
const words = s.optional(s.nullable(s.text))
const choice = s.optional(s.flag)
const oneOfThese = (...values: readonly string[]) => s.optional(s.word(...values))
const part = (fields: Fields) => s.optional(s.nullable(s.record(fields)))
const login = s.each(['user', 'password'], words)

const sql = { ...login, ...s.each(['server', 'database'], words) }
const sqlModels = {
  integratedAuthentication: { integratedAuthentication: choice },
  connectionType: {
    ...s.each(['clientId', 'clientSecret'], words),
    trustCertificate: choice,
    connectionType: oneOfThese(
      ...['SqlLogin', 'WindowsAuth', 'WindowsAuthImpersonation', 'ADPassword'],
      ...['ADIntegrated', 'ADServicePrincipal', 'ADManagedIdentity', 'ADDefault'],
    ),
  },
}
/** The fields of its documents that are new in API 6.0. */
const later = Object.fromEntries(Object.entries(sqlModels.connectionType).map(([key, shape]) => [key, s.since6(shape)]))

/** As an installation may know them: of SQL, the fields of both models. */
const fieldsOf: Readonly<Record<ConnectionType, Fields>> = {
  SQL: { ...sql, ...sqlModels.integratedAuthentication, ...later },
  DbB: { ...login, serviceName: words, integratedAuthentication: choice },
  SOAP: {
    ...{ ...login, url: words, skipHttpsCertificateValidation: choice, keepAlive: choice },
    binding: oneOfThese('HttpSecurityNone', 'HttpBasic', 'HttpNtlm', 'HttpsBasic', 'HttpsNoCredentials'),
  },
  REST: {
    ...{ ...login, ...s.each(['clientId', 'clientSecret', 'authenticationUrl', 'baseUrl'], words) },
    skipHttpsCertificateValidation: choice,
    authentication: oneOfThese(
      ...['Anonymous', 'NT', 'CrmSuiteA', 'CrmSuiteB', 'SvcSelf', 'DirectoryGraph', 'CrmSuiteAOnPremises'],
      ...['OAuth2User', 'OAuth2App', 'Custom', 'Basic'],
    ),
    connectAs: oneOfThese('Application', 'User'),
  },
  DocPortal: {
    ...{ ...login, url: words },
    environment: oneOfThese('Local', 'Portal2013', 'Portal2016', 'Portal2019', 'PortalOnline'),
    credentials: oneOfThese('ServiceAccount', 'ServiceAccoount', 'UserDefined', 'CurrentUser', 'Svc App'),
  },
  MailServer: {
    serverType: oneOfThese('OnPremises', 'EwsBasicAuth', 'DirectoryGraph'),
    mailWebService: part({ ...login, url: words }),
    directoryGraph: part(s.each(['tenantId', 'applicationId', 'clientSecret'], words)),
  },
}

const inherits = { breakInheritance: choice }
const writtenShape = (fields: Fields) => s.record({ ...inherits, ...fields })
const shapes = {
  ...mapTypes((type) => writtenShape(fieldsOf[type])),
  integratedAuthentication: writtenShape({ ...sql, ...sqlModels.integratedAuthentication }),
  connectionType: writtenShape({ ...sql, ...sqlModels.connectionType }),
}

function mapTypes<T>(of: (type: ConnectionType) => T): Readonly<Record<ConnectionType, T>> {
  const types = Object.keys(connectionNodes) as ConnectionType[]
  return Object.fromEntries(types.map((type) => [type, of(type)])) as Record<ConnectionType, T>
}

/** The fields of one environment in a write; for SQL, those of the installation's model. */
export function settingsShape(type: ConnectionType, model: SqlModel): s.Shape<unknown> {
  return shapes[type === 'SQL' ? model : type]
}

/** The one or the other of SQL, and of what is inherited. */
const optionalReads = new Set(['integratedAuthentication', 'connectionType', 'trustCertificate', 'breakInheritance'])
const readPart = (field: string) => s.nullable(s.record({ [field]: s.textOrNull }))
const readParts = { mailWebService: readPart('url'), directoryGraph: readPart('tenantId') }

/** The fields of one environment in a read: no credentials, and `null` or false for unset fields. */
const readShapes = mapTypes((type) => {
  const fields = { ...fieldsOf[type], ...(type === 'MailServer' && readParts) }
  const readable = Object.entries(fields).filter(([key]) => !secretFields.has(key))
  const settable = readable.map(([key, shape]) => [
    key,
    optionalReads.has(key) ? s.optional(s.settable(shape)) : s.settable(shape),
  ])
  return s.record({ ...inherits, ...(Object.fromEntries(settable) as Fields) })
})

/** Under one key for each type, what holds the settings of each environment. */
function nodes(title: string, of: Readonly<Record<ConnectionType, s.Shape<unknown>>>) {
  const perType = mapTypes((type) => {
    const settings = s.optional(s.named(`${type}${title}`, of[type]))
    const { schema } = s.record(s.each(['common', 'dev', 'test', 'prod'], settings))
    // Its settings are checked when it is known which type the connection has.
    return [connectionNodes[type], s.optional({ ...s.mapOf(s.anything), schema })] as const
  })
  type Nodes = ReturnType<typeof s.each<ConnectionNode, (typeof perType)['SQL'][1]>>
  return Object.fromEntries(Object.values(perType)) as Nodes
}
export const writtenNodes = nodes('SettingsWritten', shapes)
export const readNodes = nodes('Settings', readShapes)

/** Including every other stored key; for SQL in the requested model. */
export function settingsView(type: ConnectionType, settings: JsonObject, model: SqlModel): JsonObject {
  const more = Object.entries(settings).filter(([key]) => fieldsOf[type][key] === undefined)
  const shown = { ...(readShapes[type].tell(settings) as JsonObject), ...Object.fromEntries(more) }
  if (type === 'DbB') return { integratedAuthentication: false, ...shown }
  if (type !== 'SQL') return shown
  const { integratedAuthentication, connectionType, trustCertificate, ...rest } = shown
  const isIntegrated = integratedAuthentication ?? (connectionType !== undefined && connectionType !== 'SqlLogin')
  if (model === 'integratedAuthentication') return { ...rest, integratedAuthentication: isIntegrated }
  const derived = isIntegrated === true ? 'WindowsAuth' : 'SqlLogin'
  return { ...rest, connectionType: connectionType ?? derived, trustCertificate: trustCertificate ?? false }
}

/** Credentials as digests: enough to see that one has changed, and nothing to leak from a state file. */
export function digestSecrets(settings: JsonObject): JsonObject {
  const digested = (key: string, value: Json): Json => {
    if (isJsonObject(value)) return digestSecrets(value)
    if (!secretFields.has(key) || typeof value !== 'string' || value.startsWith('sha256:')) return value
    return `sha256:${createHash('sha256').update(value).digest('hex').slice(0, 16)}`
  }
  const entries = Object.entries(settings).filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, digested(key, value)]))
}
