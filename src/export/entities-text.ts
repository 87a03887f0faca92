// Business entities, which the platform alone makes, as a file of comments: which there are, and who is permitted in
// each.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { commentText } from '@svcsync/core/model/yaml-text.ts'
import type { AccountNames } from './account-names.ts'
import { documentText } from './yaml-node.ts'

/** As the platform lists it. */
interface ListedEntity {
  readonly guid: string
  readonly name: string
  readonly id?: number
  readonly code?: string
  readonly permissions?: Json
}

/** Without a line that means anything: what is in it is for people. `schema`: of manifests, as seen from the file. */
export function entitiesText(entities: readonly ListedEntity[], schema: string, nameOf: AccountNames): string {
  const header = [
    `yaml-language-server: $schema=${schema}`,
    'Business entities, and the accounts permitted in each. The platform manages them, svcsync does not. Privileges',
    'name them by `company`: their code, name, guid or id.',
  ]
  const sorted = entities.map((entity) => ({ entity, key: entity.code ?? entity.name }))
  for (const { entity } of sorted.sort((a, b) => (a.key < b.key ? -1 : 1))) header.push('', ...linesOf(entity, nameOf))
  return documentText([], header)
}

function linesOf({ code, name, id, guid, permissions }: ListedEntity, nameOf: AccountNames): string[] {
  const ids = [name, ...(id === undefined ? [] : [`id ${id}`]), `guid ${guid}`]
  const title = commentText(code === undefined ? ids.join(', ') : `${code}: ${ids.join(', ')}`)
  const byType = permittedIn(permissions)
  if (byType === undefined) return [title, '  the platform tells no permitted accounts']
  if (byType.size === 0) return [title, '  nobody is permitted']
  return [
    title,
    ...[...byType].flatMap(([type, accounts]) => [
      `  ${commentText(type)}`,
      ...accounts.map((svcId) => {
        const beside = nameOf.beside(svcId)
        return `  - ${commentText(svcId)}${beside === undefined ? '' : ` (${beside})`}`
      }),
    ]),
  ]
}

/** Accounts by the sort of their permission. Undefined: some of it cannot be read, and the rest would pass for all. */
function permittedIn(permissions: Json | undefined): ReadonlyMap<string, readonly string[]> | undefined {
  if (!Array.isArray(permissions)) return undefined
  const byType = new Map<string, string[]>()
  for (const each of permissions as readonly Json[]) {
    if (!isJsonObject(each) || typeof each.svcId !== 'string' || typeof each.type !== 'string') return undefined
    byType.set(each.type, [...(byType.get(each.type) ?? []), each.svcId].sort())
  }
  return new Map([...byType].sort(([a], [b]) => (a < b ? 1 : -1)))
}
