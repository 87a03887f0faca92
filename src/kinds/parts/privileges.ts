// Privileges: who has which level on an application, a process or an associated form type.
import { accountEntrySchema, readAccountEntry } from '@svcsync/core/model/account-entry.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  type AccountElement,
  type Collection,
  type CompanyRef,
  type DeclaredElement,
  isMisread,
  type LivePart,
  type Location,
  type MisreadAnswer,
} from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import type { PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { within } from './read-fields.ts'
import { metadataScopes } from './scopes.ts'

export const processLevels = [
  'Administrator',
  'Modify',
  'ReadOnly',
  'ReadOnlyWithoutAttachments',
  'Start',
  'ManageArchive',
  'DesignerDeskEditInPortal',
] as const

const company = {
  type: 'nameOrId',
  reference: 'company',
  description: 'The business entity to which the privilege is limited: its code, name, guid or id.',
  examples: ['PL01'],
} as const

/** The schema of `privileges`: a list of accounts for each level. `whole`: managed as one, whatever is listed. */
export function privilegesField(
  levels: readonly string[],
  options: { readonly companies: boolean; readonly whole?: true },
): ObjectSchema {
  const extent = options.whole
    ? 'Unlisted levels are empty, unless `manage` is `additive`.'
    : 'svcsync manages a listed level whole. ' +
      'It does not change an unlisted level, or empties it with `manage: { privileges: whole }`.'
  const properties: Record<string, ObjectSchema['properties'][string]> = {}
  for (const level of levels) {
    properties[level] = {
      type: 'array',
      nullable: true,
      description: `Accounts with the level ${level}. ${extent}`,
      items: accountEntrySchema(options.companies ? { company } : {}),
    }
  }
  return {
    type: 'object',
    nullable: true,
    collection: 'privileges',
    description: 'Accounts by level of access. `null` or an empty mapping: no account has a level.',
    properties,
  }
}

export const managePrivileges = {
  type: 'object',
  directive: true,
  description: 'How `privileges` are managed.',
  properties: {
    privileges: {
      type: 'string',
      enum: ['exclusive', 'additive', 'whole'],
      description:
        '`exclusive` removes unlisted accounts from listed levels, `additive` only adds. ' +
        '`whole` is exclusive and also empties unlisted levels: their accounts lose them.',
    },
  },
} as const satisfies ObjectSchema

/** The requests for an object with privileges under `base`: only they are managed. */
export function privilegesUnder(
  base: (at: Location) => { readonly path: string; readonly pathIn50?: string },
  levels: readonly string[],
  options: { readonly companies: boolean },
) {
  return {
    lifecycle: 'found',
    wire: { ...levelWords, privileges: { keys: levelWords } },
    collections: { privileges: privilegesCollection(base, levels) },
    scopes: metadataScopes,
    requests: { read: (at: Location): PlatformRequest => ({ method: 'GET', ...base(at) }) },
    parse: privilegesReader(options.companies),
  } as const
}

export const levelWords = { level: { word: true } } as const

/** The collection whose changes go to `{base}/add` and `{base}/remove`, one privilege a request. */
function privilegesCollection(
  base: (at: Location) => { readonly path: string; readonly pathIn50?: string },
  levels: readonly string[],
): Collection<AccountElement> {
  const change =
    (verb: 'add' | 'remove') =>
    (at: Location, elements: readonly AccountElement[]): PlatformRequest => {
      const { path, pathIn50 } = base(at)
      const [element] = elements as [AccountElement]
      const company = element.company == null ? {} : { company: companyBody(element.company) }
      return {
        method: 'POST',
        path: `${path}/${verb}`,
        ...(pathIn50 !== undefined && { pathIn50: `${pathIn50}/${verb}` }),
        body: { svcId: element.svcId, level: element.level, ...company },
      }
    }
  return { ...byLevel, allParts: levels, add: change('add'), remove: change('remove') }
}

export const byLevel = {
  batch: 1,
  part: (element: AccountElement) => element.level ?? '',
  fromManifest: readManifest,
  toManifest: writeManifest,
}

function companyBody(company: CompanyRef): JsonObject {
  return { ...(company.id !== undefined && { id: company.id }), guid: company.guid }
}

function readManifest(value: Json): {
  parts: readonly string[] | 'all'
  elements: readonly DeclaredElement<AccountElement>[]
} {
  if (!isJsonObject(value)) return { parts: 'all', elements: [] }
  const parts = Object.keys(value)
  if (parts.length === 0) return { parts: 'all', elements: [] }
  const elements: DeclaredElement<AccountElement>[] = []
  for (const level of parts) {
    const list = (value[level] ?? []) as readonly Json[]
    for (let index = 0; index < list.length; index++) {
      const item = list[index] as Json
      const path = [level, index]
      // Most entries say no more.
      if (typeof item === 'string') elements.push({ element: { svcId: item, level, company: null }, path })
      else {
        const { svcId = '', ...rest } = readAccountEntry(item)
        elements.push({ ...rest, element: { svcId, level, company: null }, path })
      }
    }
  }
  return { parts, elements }
}

function writeManifest(elements: readonly AccountElement[]): Json {
  const result: Record<string, Json[]> = {}
  for (const { svcId, level, company } of elements) {
    result[level ?? ''] ??= []
    result[level ?? '']?.push(company == null ? svcId : { svcId, company: company.name })
  }
  return result
}

/** Reads `{ privileges: [{ svcId, level, company? }] }`. Misread: one entry that may be anybody's. */
function privilegesReader(companies: boolean): (answer: Json, at: Location) => LivePart | MisreadAnswer {
  return (answer, at) => {
    if (!isJsonObject(answer)) return { misread: 'it is no object' }
    if (answer.privileges === undefined) return missingKey(answer, 'privileges', [])
    if (!Array.isArray(answer.privileges)) return { misread: '`privileges` is no list' }
    const list: readonly Json[] = answer.privileges
    // If the answer has a company for one privilege, an absent one means none; likewise if no privilege can be limited.
    const tellsCompanies = !companies || list.some((item) => isJsonObject(item) && item.company !== undefined)
    const privileges: AccountElement[] = []
    for (const item of list) {
      const element = readPrivilege(item, tellsCompanies)
      if (isMisread(element)) return within('privileges', element)
      privileges.push(element)
    }
    return { name: at.name ?? '', self: '', spec: {}, collections: { privileges }, ready: true }
  }
}

const noCompany = { misread: 'it is no object' }
const keys = ['level', 'company', 'username']

/** Some installations tell who has privileges, and not which. */
function readPrivilege(item: Json, tellsCompanies: boolean): AccountElement | MisreadAnswer {
  if (!isJsonObject(item)) return { misread: 'an item is no object' }
  const { svcId, level } = item
  if (typeof svcId !== 'string' || svcId === '') return missingKey(item, 'svcId', keys)
  if (level != null && (typeof level !== 'string' || level === '')) return missingKey(item, 'level', keys)
  if (item.company != null && companyGuid(item.company) === undefined) {
    return within('company', isJsonObject(item.company) ? missingKey(item.company, 'guid', []) : noCompany)
  }
  if (level == null) return tellsCompanies ? { svcId, company: readCompany(item.company) } : { svcId }
  return tellsCompanies ? { svcId, level, company: readCompany(item.company) } : { svcId, level }
}

/** Undefined: the company is not identified. Without this, the privilege would hold for all companies. */
function companyGuid(value: Json): string | undefined {
  return isJsonObject(value) && typeof value.guid === 'string' && value.guid !== '' ? value.guid : undefined
}

function readCompany(value: Json | undefined): CompanyRef | null {
  const guid = value == null ? undefined : companyGuid(value)
  if (guid === undefined || !isJsonObject(value)) return null
  return { guid, name: guid, ...(typeof value.id === 'number' && { id: value.id }) }
}
