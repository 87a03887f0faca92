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

const whole = 'the settings of an environment are sent whole, and an installation may take what is missing for cleared.'

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
    const warn = (what: string, hint: string, path: FieldPath = []): void => {
      const message = `\`${environment}\` ${what}`
      findings.push({ code: 'SVC1318', severity: 'warning', message, hint, path: [name, environment, ...path] })
    }
    if (live === undefined) {
      for (const login of logins[name] ?? []) {
        const [said, ...others] = login.filter((path) => valueAt(wanted, path) !== undefined)
        const missing = login.filter(lacks)
        if (said === undefined || others.length > 0 || missing.length === 0) continue
        warn(`says \`${said.join('.')}\` and no ${list(missing)}`, `Declare both: ${whole}`, said)
      }
    } else if (live === null || (!isCommon && !isJsonObject(live[environment]))) {
      const settings = isCommon ? wanted : overlay(overlay(objectOr(live?.common), common), wanted)
      const login = loginOf(name, settings) ?? []
      // Who says one half of a login is told so anyway.
      if (login.some((path) => valueAt(wanted, path) !== undefined)) continue
      const missing = login.filter(lacks)
      // A new connection is told once, for `common`.
      if (missing.length === 0 || (live === null && !isCommon && login === loginOf(name, common))) continue
      if (live === null) {
        const hint = 'Declare the login, or the connection cannot be used until somebody sets it by hand.'
        warn(`of the new connection logs in, and no manifest says its ${list(missing)}`, hint)
      } else {
        const them = missing.length > 1 ? 'them' : 'it'
        const hint = `Declare ${them} in \`${environment}\`, or in \`common\`: what is declared there is copied.`
        warn(`stops inheriting and loses ${list(missing)} of \`common\`, which the platform does not return`, hint)
      }
    } else if (seen?.changed[environment] !== undefined) {
      const login = loginOf(name, overlay(objectOr(live[environment]), wanted))
      if (!login?.every((path) => valueAt(wanted, path) === undefined)) continue
      const what = `is sent without ${list(login)}, which the platform does not return and no manifest says`
      warn(what, `Declare them: ${whole}`)
    }
  }
  return findings
}

function list(paths: readonly FieldPath[]): string {
  return paths.map((path) => `\`${path.join('.')}\``).join(' and ')
}
