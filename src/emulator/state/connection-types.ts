// The six types of data connections: their nodes, what can be read back, and which fields are credentials.
import { createHash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../core/model/json.ts'
import { flag, nullable, oneOf, optional, orNull, record, type Shape, since6, text, word } from '../shape/shape.ts'

export const connectionNodes = {
  SQL: 'sql',
  DbB: 'dbb',
  REST: 'rest',
  SOAP: 'soap',
  DocPortal: 'docportal',
  MailServer: 'mailserver',
} as const
export type ConnectionType = keyof typeof connectionNodes
type ConnectionNode = (typeof connectionNodes)[ConnectionType]

export const connectionType = oneOf(...(Object.keys(connectionNodes) as ConnectionType[]))

type Absentable<K extends string, T> = Readonly<Record<K, Shape<T> & { readonly optional: true }>>

/** The fields of a connection that hold its settings: one for each type. */
export function nodeFields<T>(shapeOf: (node: ConnectionNode) => Shape<T>): Absentable<ConnectionNode, T> {
  const fields = Object.values(connectionNodes).map((node) => [node, optional(shapeOf(node))])
  return Object.fromEntries(fields) as Absentable<ConnectionNode, T>
}

/** The same of each environment. */
export function environmentFields<T>(shape: Shape<T>): Absentable<'common' | 'dev' | 'test' | 'prod', T> {
  const field = optional(shape)
  return { common: field, dev: field, test: field, prod: field }
}
export type SqlModel = 'integratedAuthentication' | 'connectionType'

/** Fields that can be written and never read: for REST and mail, too, where a client's id is part of the credentials. */
const secretFields = new Set(['user', 'password', 'clientId', 'clientSecret', 'applicationId'])

const textField = optional(nullable(text))
const flagField = optional(flag)
const login = { user: textField, password: textField }
const inheritance = { breakInheritance: flagField }

const sqlCommon = { ...inheritance, ...login, server: textField, database: textField }
const sqlLater = {
  clientId: textField,
  clientSecret: textField,
  trustCertificate: flagField,
  connectionType: optional(
    word(
      'SqlLogin',
      'WindowsAuth',
      'WindowsAuthImpersonation',
      'ADPassword',
      'ADIntegrated',
      'ADServicePrincipal',
      'ADManagedIdentity',
      'ADDefault',
    ),
  ),
}
const sqlModels = {
  integratedAuthentication: record({ ...sqlCommon, integratedAuthentication: flagField }),
  connectionType: record({ ...sqlCommon, ...sqlLater }),
}
const settingsShapes = {
  DbB: record({ ...inheritance, ...login, serviceName: textField, integratedAuthentication: flagField }),
  SOAP: record({
    ...inheritance,
    ...login,
    url: textField,
    skipHttpsCertificateValidation: flagField,
    keepAlive: flagField,
    binding: optional(word('HttpSecurityNone', 'HttpBasic', 'HttpNtlm', 'HttpsBasic', 'HttpsNoCredentials')),
  }),
  REST: record({
    ...inheritance,
    ...login,
    clientId: textField,
    clientSecret: textField,
    authenticationUrl: textField,
    baseUrl: textField,
    skipHttpsCertificateValidation: flagField,
    authentication: optional(
      word(
        'Anonymous',
        'NT',
        'CrmSuiteA',
        'CrmSuiteB',
        'SvcSelf',
        'DirectoryGraph',
        'CrmSuiteAOnPremises',
        'OAuth2User',
        'OAuth2App',
        'Custom',
        'Basic',
      ),
    ),
    connectAs: optional(word('Application', 'User')),
  }),
  DocPortal: record({
    ...inheritance,
    ...login,
    url: textField,
    environment: optional(word('Local', 'Portal2013', 'Portal2016', 'Portal2019', 'PortalOnline')),
    credentials: optional(word('ServiceAccount', 'ServiceAccoount', 'UserDefined', 'CurrentUser', 'Svc App')),
  }),
  MailServer: record({
    ...inheritance,
    serverType: optional(word('OnPremises', 'EwsBasicAuth', 'DirectoryGraph')),
    mailWebService: optional(nullable(record({ ...login, url: textField }))),
    directoryGraph: optional(
      nullable(record({ tenantId: textField, applicationId: textField, clientSecret: textField })),
    ),
  }),
}

/** What one environment may hold. Without a model, fields of both SQL models pass: tenant files serve any installation. */
export function settingsShape(type: ConnectionType, model: SqlModel): Shape<unknown> {
  return type === 'SQL' ? sqlModels[model] : settingsShapes[type]
}

/** The one or the other of SQL, and of what is inherited. */
const maybeTold = new Set(['integratedAuthentication', 'connectionType', 'trustCertificate', 'breakInheritance'])

/** What an installation may know of a node: of SQL, the fields of both models. */
function nodeSchema(type: ConnectionType, isTold: boolean): JsonObject {
  const later = Object.fromEntries(Object.entries(sqlLater).map(([key, shape]) => [key, since6(shape)]))
  const both = record({ ...sqlCommon, integratedAuthentication: flagField, ...later })
  const written = type === 'SQL' ? both.schema : settingsShapes[type].schema
  const schema = { title: `${type}Settings${isTold ? '' : 'Written'}`, ...(isTold ? toldSchema(written) : written) }
  const properties = Object.fromEntries(['common', 'dev', 'test', 'prod'].map((name) => [name, schema]))
  return { type: 'object', properties, additionalProperties: false }
}

/** The nodes of a connection, as writes carry them, and as reads tell them: without credentials, `null` where nothing is set. */
export const nodesWritten = nodes(false)
export const nodesTold = nodes(true)

function nodes(isTold: boolean): Readonly<Record<string, JsonObject>> {
  const types = Object.keys(connectionNodes) as ConnectionType[]
  return Object.fromEntries(types.map((type) => [connectionNodes[type], nodeSchema(type, isTold)]))
}

function toldSchema(schema: JsonObject): JsonObject {
  const properties = Object.entries(schema.properties as JsonObject)
    .filter(([key]) => !secretFields.has(key))
    .map(([key, each]) => {
      const { properties, ...plain } = each as JsonObject
      const inner = properties === undefined ? (each as JsonObject) : toldSchema({ ...plain, properties })
      return [key, key === 'breakInheritance' || Array.isArray(inner.type) ? inner : orNull(inner)]
    })
  const required = properties.map(([key]) => key as string).filter((key) => !maybeTold.has(key))
  return { ...schema, properties: Object.fromEntries(properties), required }
}

/** What a read shows of fields that nobody has set. */
const unset: Readonly<Record<ConnectionType, JsonObject>> = {
  SQL: { server: null, database: null },
  DbB: { serviceName: null, integratedAuthentication: false },
  SOAP: { url: null, skipHttpsCertificateValidation: false, keepAlive: false, binding: null },
  REST: {
    authenticationUrl: null,
    baseUrl: null,
    skipHttpsCertificateValidation: false,
    authentication: null,
    connectAs: null,
  },
  DocPortal: { url: null, environment: null, credentials: null },
  MailServer: { serverType: null, mailWebService: null, directoryGraph: null },
}
const unsetWithin: Readonly<Record<string, JsonObject>> = {
  mailWebService: { url: null },
  directoryGraph: { tenantId: null },
}

/** Every field that can be read is in an answer, set or not. */
export function withUnset(type: ConnectionType, settings: JsonObject): JsonObject {
  const told: { [key: string]: Json | undefined } = { ...unset[type], ...settings }
  for (const [key, inner] of Object.entries(unsetWithin)) {
    const part = told[key]
    if (isJsonObject(part)) told[key] = { ...inner, ...part }
  }
  return told
}

/** What a read shows: no credentials, at no depth. */
export function withoutSecrets(settings: JsonObject): JsonObject {
  return mapSecrets(settings, () => undefined)
}

/** Credentials as digests: enough to see that one has changed, and nothing to leak from a state file. */
export function withSecretsDigested(settings: JsonObject): JsonObject {
  return mapSecrets(settings, (value) => {
    if (typeof value !== 'string' || value.startsWith('sha256:')) return value
    return `sha256:${createHash('sha256').update(value).digest('hex').slice(0, 16)}`
  })
}

function mapSecrets(settings: JsonObject, change: (value: Json) => Json | undefined): JsonObject {
  const changed: { [key: string]: Json | undefined } = {}
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const next = secretFields.has(key) ? change(value) : isJsonObject(value) ? mapSecrets(value, change) : value
    if (next !== undefined) changed[key] = next
  }
  return changed
}

/** SQL settings in the model that this installation and API version speak, whichever they were written in. */
export function inSqlModel(settings: JsonObject, model: SqlModel): JsonObject {
  const { integratedAuthentication, connectionType, trustCertificate, ...rest } = settings
  const isIntegrated = integratedAuthentication ?? (connectionType !== undefined && connectionType !== 'SqlLogin')
  if (model === 'integratedAuthentication') return { ...rest, integratedAuthentication: isIntegrated }
  const derived = isIntegrated === true ? 'WindowsAuth' : 'SqlLogin'
  return { ...rest, connectionType: connectionType ?? derived, trustCertificate: trustCertificate ?? false }
}
