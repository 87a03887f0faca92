// How an installation says how a SQL connection logs in: in one of two ways, which only its live connections show.
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Finding } from '@svcsync/core/model/kind.ts'

const earlier = ['integratedAuthentication']
/** Those that are returned first. */
const later = ['connectionType', 'trustCertificate', 'clientId', 'clientSecret']

/** Seen over all declarations: an override may say the one, and what it overrides the other. `peers`: live connections. */
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
            ? 'Write `connectionType: WindowsAuth` for true, or `SqlLogin` for false; use an override if targets differ.'
            : 'Write `integratedAuthentication`, and keep the later fields in the override of a later installation.',
        path: ['sql', environment, field],
      },
    ]
  })
}

function speaksOf(names: readonly string[], settings: JsonObject): boolean {
  return names.some((name) => settings[name] !== undefined)
}
