// Finds environments whose credentials an update would lose, since svcsync cannot copy undeclared ones.
import { isJsonObject, type JsonObject, valueAt } from '@svcsync/core/model/json.ts'
import type { Finding, ObservedState } from '@svcsync/core/model/kind.ts'
import { byCount } from '@svcsync/errors/index.ts'
import { inheriting, objectOr, overlay } from './environments.ts'

type FieldPath = readonly string[]
/** A name, and the secret that belongs to it. */
type Login = readonly [name: FieldPath, secret: FieldPath]

const user: Login = [['user'], ['password']]
const client: Login = [['clientId'], ['clientSecret']]
const mailUser: Login = [
  ['mailWebService', 'user'],
  ['mailWebService', 'password'],
]
const graphClient: Login = [
  ['directoryGraph', 'applicationId'],
  ['directoryGraph', 'clientSecret'],
]

const logins: Readonly<Record<string, readonly Login[]>> = {
  sql: [user, client],
  dbb: [user],
  soap: [user],
  rest: [user, client],
  docportal: [user],
  mailserver: [mailUser, graphClient],
}

const byConnectionType: Readonly<Record<string, Login>> = {
  SqlLogin: user,
  ADPassword: user,
  WindowsAuthImpersonation: user,
  ADServicePrincipal: client,
}
const byBinding: Readonly<Record<string, Login>> = { HttpBasic: user, HttpNtlm: user, HttpsBasic: user }
const byAuthentication: Readonly<Record<string, Login>> = {
  Basic: user,
  NT: user,
  OAuth2User: client,
  OAuth2App: client,
}
const byServerType: Readonly<Record<string, Login>> = {
  OnPremises: mailUser,
  EwsBasicAuth: mailUser,
  DirectoryGraph: graphClient,
}

/** The login that such settings use, as far as they say it. */
function loginOf(node: string, settings: JsonObject): Login | undefined {
  const by = (table: Readonly<Record<string, Login>>, field: string) => table[String(settings[field])]
  switch (node) {
    case 'sql':
      if (settings.connectionType !== undefined) return by(byConnectionType, 'connectionType')
      return settings.integratedAuthentication === false ? user : undefined
    case 'dbb':
      return settings.integratedAuthentication === false ? user : undefined
    case 'soap':
      return by(byBinding, 'binding')
    case 'rest':
      return by(byAuthentication, 'authentication')
    case 'docportal':
      return settings.credentials === 'UserDefined' ? user : undefined
    case 'mailserver':
      return by(byServerType, 'serverType')
    default:
      return undefined
  }
}

const whole = 'svcsync sends the settings of an environment whole, and some installations clear missing ones.'

/** Warnings for the environments of a node. `seen`: of the same node, as in `Kind.review`. */
export function reviewLogins(
  name: string,
  node: JsonObject,
  seen: Omit<ObservedState, 'peers'> | undefined,
): Finding[] {
  return ['common', ...inheriting].flatMap((environment): Finding[] => {
    const wanted = node[environment]
    if (!isJsonObject(wanted)) return []
    const isCommon = environment === 'common'
    const common = objectOr(node.common)
    const part: Environment = { name, environment, isCommon, wanted, common }
    const live = seen?.live
    if (live === undefined) return halvesOf(part)
    if (live === null || (!isCommon && !isJsonObject(live[environment]))) return lostIn(part, live)
    return seen?.changed[environment] === undefined ? [] : unsentIn(part, objectOr(live[environment]))
  })
}

interface Environment {
  readonly name: string
  readonly environment: string
  readonly isCommon: boolean
  readonly wanted: JsonObject
  readonly common: JsonObject
}

function warning({ name, environment }: Environment, what: string, hint: string, path: FieldPath = []): Finding {
  const message = `\`${environment}\` ${what}`
  return { code: 'SVC1318', severity: 'warning', message, hint, path: [name, environment, ...path] }
}

function missingOf({ isCommon, wanted, common }: Environment, login: readonly FieldPath[]): readonly FieldPath[] {
  const declared = isCommon ? wanted : overlay(common, wanted)
  return login.filter((path) => valueAt(declared, path) === undefined)
}

/** Finds half a login before the live state is known. */
function halvesOf(part: Environment): Finding[] {
  return (logins[part.name] ?? []).flatMap((login): Finding[] => {
    const [said, ...others] = login.filter((path) => valueAt(part.wanted, path) !== undefined)
    const missing = missingOf(part, login)
    if (said === undefined || others.length > 0 || missing.length === 0) return []
    return [warning(part, `has \`${said.join('.')}\` and no ${list(missing)}`, `Declare both: ${whole}`, said)]
  })
}

/** A login that an environment with new settings of its own would lack, or lose. */
function lostIn(part: Environment, live: JsonObject | null): Finding[] {
  const { name, environment, isCommon, wanted, common } = part
  const settings = isCommon ? wanted : overlay(overlay(objectOr(live?.common), common), wanted)
  const login = loginOf(name, settings) ?? []
  // An author of one half of a login gets another message.
  if (login.some((path) => valueAt(wanted, path) !== undefined)) return []
  const missing = missingOf(part, login)
  // A new connection gets one finding, for `common`.
  if (missing.length === 0 || (live === null && !isCommon && login === loginOf(name, common))) return []
  if (live === null) {
    const hint = 'Declare the login, or the connection cannot be used until somebody sets it by hand.'
    return [warning(part, `of the new connection logs in, but no manifest declares its ${list(missing)}`, hint)]
  }
  const them = byCount(missing.length, 'it', 'them')
  const hint = `Declare ${them} in \`${environment}\`, or in \`common\`: svcsync copies it from there.`
  const what = `stops inheriting and loses ${list(missing)} of \`common\`, which the platform does not return`
  return [warning(part, what, hint)]
}

/** A login that a write would send along unasked. */
function unsentIn(part: Environment, live: JsonObject): Finding[] {
  const login = loginOf(part.name, overlay(live, part.wanted))
  if (!login?.every((path) => valueAt(part.wanted, path) === undefined)) return []
  const what = `is sent without ${list(login)}, which the platform does not return and no manifest declares`
  return [warning(part, what, `Declare them: ${whole}`)]
}

function list(paths: readonly FieldPath[]): string {
  return paths.map((path) => `\`${path.join('.')}\``).join(' and ')
}

const earlier = ['integratedAuthentication']
/** The first fields that are returned. */
const later = ['connectionType', 'trustCertificate', 'clientId', 'clientSecret']

/** Over all declarations: an override may say one part, its base the other. `peers`: live connections. */
export function reviewSqlFields(node: JsonObject, peers: readonly JsonObject[]): Finding[] {
  const live = peers.flatMap(({ sql }) => (isJsonObject(sql) && isJsonObject(sql.common) ? [sql.common] : []))
  const [known, unknown] = live.some((each) => speaksOf(later, each)) ? [later, earlier] : [earlier, later]
  return Object.entries(node).flatMap(([environment, settings]): Finding[] => {
    if (!isJsonObject(settings)) return []
    if (speaksOf(earlier, settings) && settings.connectionType !== undefined) {
      return [
        {
          code: 'SVC1305',
          message: '`integratedAuthentication` and `connectionType` exclude each other',
          hint: 'Installations know one of the two: later ones `connectionType`.',
          path: ['sql', environment, 'connectionType'],
        },
      ]
    }
    const field = live.length === 0 ? undefined : unknown.find((each) => settings[each] !== undefined)
    if (field === undefined) return []
    return [
      {
        code: 'SVC1321',
        message: `This installation has no \`${field}\`: its connections have \`${known[0]}\``,
        hint:
          known === later
            ? 'Write `connectionType: WindowsAuth` for true, or `SqlLogin` for false; use overrides if targets differ.'
            : 'Write `integratedAuthentication`, and keep the later fields in the override of a later installation.',
        path: ['sql', environment, field],
      },
    ]
  })
}

function speaksOf(names: readonly string[], settings: JsonObject): boolean {
  return names.some((name) => settings[name] !== undefined)
}
