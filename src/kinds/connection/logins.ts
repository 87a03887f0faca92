// Which credentials the settings of an environment log in with, and where they get lost: the platform never returns them,
// so what nobody declares cannot be copied.
import { isJsonObject, type JsonObject, valueAt } from '../../core/model/json.ts'
import type { Finding, Seen } from '../../core/model/kind.ts'
import { inheriting, objectOr, overlay } from './environments.ts'

type FieldPath = readonly string[]
/** What belongs together: a name, and the secret that goes with it. */
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

/** Warnings for the environments of a node. `seen`: of the same node, as in `Kind.review`. */
export function reviewLogins(name: string, node: JsonObject, seen: Omit<Seen, 'peers'> | undefined): Finding[] {
  const findings: Finding[] = []
  const live = seen?.live
  const common = objectOr(node.common)
  for (const environment of ['common', ...inheriting]) {
    const wanted = node[environment]
    if (!isJsonObject(wanted)) continue
    const isCommon = environment === 'common'
    const declared = isCommon ? wanted : overlay(common, wanted)
    const lacks = (path: FieldPath) => valueAt(declared, path) === undefined
    const at = [name, environment]
    if (live === undefined) {
      for (const login of logins[name] ?? []) {
        const [said, ...others] = login.filter((path) => valueAt(wanted, path) !== undefined)
        const missing = login.filter(lacks)
        if (said !== undefined && others.length === 0 && missing.length > 0) findings.push(halfSaid(at, said, missing))
      }
    } else if (live === null || (!isCommon && !isJsonObject(live[environment]))) {
      const settings = isCommon ? wanted : overlay(overlay(objectOr(live?.common), common), wanted)
      const login = loginOf(name, settings) ?? []
      // Who says one half of a login is told so anyway.
      if (login.some((path) => valueAt(wanted, path) !== undefined)) continue
      const missing = login.filter(lacks)
      // A new connection is told once, for `common`.
      if (live === null && !isCommon && login === loginOf(name, common)) continue
      if (missing.length > 0) findings.push(live === null ? neverSaid(at, missing) : lost(at, missing))
    } else if (seen?.changed[environment] !== undefined) {
      const login = loginOf(name, overlay(objectOr(live[environment]), wanted))
      if (login?.every((path) => valueAt(wanted, path) === undefined)) findings.push(unsaid(at, login))
    }
  }
  return findings
}

function halfSaid(
  [node = '', environment = '']: readonly string[],
  said: FieldPath,
  missing: readonly FieldPath[],
): Finding {
  return {
    code: 'SVC1318',
    severity: 'warning',
    message: `\`${environment}\` says \`${said.join('.')}\` and no ${list(missing)}`,
    hint: 'Declare both: the settings of an environment are sent whole, and an installation may take what is missing for cleared.',
    path: [node, environment, ...said],
  }
}

function lost([node = '', environment = '']: readonly string[], missing: readonly FieldPath[]): Finding {
  return {
    code: 'SVC1318',
    severity: 'warning',
    message: `\`${environment}\` stops inheriting and loses ${list(missing)} of \`common\`, which the platform does not return`,
    hint: `Declare ${missing.length > 1 ? 'them' : 'it'} in \`${environment}\`, or in \`common\`: what is declared there is copied.`,
    path: [node, environment],
  }
}

function unsaid([node = '', environment = '']: readonly string[], login: Login): Finding {
  return {
    code: 'SVC1318',
    severity: 'warning',
    message: `\`${environment}\` is sent without ${list(login)}, which the platform does not return and no manifest says`,
    hint: 'Declare them: the settings of an environment are sent whole, and an installation may take what is missing for cleared.',
    path: [node, environment],
  }
}

function neverSaid([node = '', environment = '']: readonly string[], missing: readonly FieldPath[]): Finding {
  return {
    code: 'SVC1318',
    severity: 'warning',
    message: `\`${environment}\` of the new connection logs in, and no manifest says its ${list(missing)}`,
    hint: 'Declare the login, or the connection cannot be used until somebody sets it by hand.',
    path: [node, environment],
  }
}

function list(paths: readonly FieldPath[]): string {
  return paths.map((path) => `\`${path.join('.')}\``).join(' and ')
}
