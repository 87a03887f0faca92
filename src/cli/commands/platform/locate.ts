// `svcsync locate`: what an address of the browser leads to, with names and guids, as the manifest to start from.

import { findDatabase } from '@svcsync/core/assemble/as-written-directory.ts'
import { aliasHint, foreignPage } from '@svcsync/core/assemble/select-declarations.ts'
import { isPageAddress } from '@svcsync/core/model/address.ts'
import { page } from '@svcsync/core/model/capabilities/page.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import { AccessError, OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import { locatedManifest } from '@svcsync/export/located.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { MetadataLists } from '@svcsync/live/metadata-lists.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { endpointOf } from '@svcsync/platform/endpoints.ts'
import { neutraliseLines, safeJson } from '@svcsync/render/text/neutralise.ts'
import { connectForCommand, targetForCommand } from '../../planning/open-for-command.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import type { locate as table } from '../platform.ts'

type LocateResult = Parameters<typeof locatedManifest>[0]

export async function locateCommand(
  options: Values<typeof table>,
  console: Console,
  { url: address }: { url: string },
) {
  // A login in it is for nobody else.
  const url = address.replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
  if (!isPageAddress(url)) throw noAddress(`\`${url}\` is no address of the browser`)
  const { project } = targetForCommand(options)
  const foreign = foreignPage(url, project.target.baseUrl, project.target.name)
  if (foreign !== undefined) throw noAddress(foreign, `Name its target: \`--target\`. ${aliasHint}`)
  noteProject(project.file, options, console)
  const client = connectForCommand(project, options, console)
  try {
    const located = await locate(url, client, project.target.databases, (note) => console.note(note))
    const isJson = options.format === 'json'
    await console.result(isJson ? safeJson(asJson(located)) : neutraliseLines(locatedManifest(located)))
    return exitCodes.done
  } finally {
    await client.close()
  }
}

function asJson({ levels, others, ...located }: LocateResult): JsonObject {
  const result: Record<string, unknown> = { ...located, ...others }
  // An element is among the others.
  for (const [level, { kind, objects }] of levels.filter(({ kind }) => page.of(kind) === undefined).entries())
    result[level === 0 ? kind.name : (kind.sections[0]?.key ?? kind.name)] = level === 0 ? objects[0] : objects
  return result as JsonObject
}

const copyIt =
  "Copy the whole address of the browser, such as `https://svc.example.com/db/1/app/12`, of the target's installation."

const noAddress = (message: string, hint = copyIt): OperatorError => new OperatorError('SVC2296', message, { hint })

async function locate(
  url: string,
  client: PlatformClient,
  databases: Readonly<Record<string, number>>,
  note: (text: string) => void,
): Promise<LocateResult> {
  await client.authorise([{ anyOf: endpointOf('GET', '/urlMetadata')?.scopes ?? [], ask: 'first' }])
  const answer = await client.send({ method: 'GET', path: '/urlMetadata', query: { url } }).catch((error) => {
    if (!(error instanceof PlatformError) || error.status !== 404) throw error
    throw noAddress(`The platform knows nothing at the address: ${error.message}`)
  })
  const fields = isJsonObject(answer) ? answer : {}
  if (typeof fields.mode !== 'string')
    throw new OperatorError('SVC2183', 'The platform does not say what the address leads to', {
      hint: 'Copy it from the address line of the browser, and check `wireNames` of the target.',
    })
  const named = Object.entries(fields).flatMap(([what, value]) =>
    isJsonObject(value) ? [[what, objectOf(value)] as const] : [],
  )
  const identified = named.filter(([, each]) => Object.keys(each).length > 0)
  const dbId = typeof fields.dbId === 'number' ? fields.dbId : undefined
  const outer = kinds.find(({ name, lookup, parent }) => lookup && !parent && named.some(([what]) => what === name))
  const outerObject = named.find(([what]) => what === outer?.name)?.[1]
  const lists = listsFor(client, note)
  const found = outer && outerObject && (await completeObject(outer, outerObject, dbId, lists, note))
  return {
    // It goes into a file: what stands behind `?` may be of a session.
    url: url.replace(/[?#].*$/s, ''),
    mode: fields.mode,
    dbId,
    database: dbId === undefined ? undefined : findDatabase(databases, String(dbId))?.name,
    others: Object.fromEntries(identified.filter(([what]) => what !== outer?.name)),
    levels: [
      ...(outer === undefined || found === undefined
        ? []
        : [{ kind: outer, objects: [found] }, ...(await findContainer(outer, found, dbId, lists))]),
      ...kinds.flatMap((kind) => {
        const own = page.of(kind) && named.find(([what]) => what === kind.name)
        return own === undefined ? [] : [{ kind, objects: [own[1]] }]
      }),
    ],
  }
}

type LocatedObject = LocateResult['others'][string]
type ListObjects = (kind: Kind, at: Location) => Promise<readonly LocatedObject[] | undefined>

/** Undefined: the application may not list them, which is noted, or nothing lists them. */
function listsFor(client: PlatformClient, note: (text: string) => void): ListObjects {
  return async ({ lookup, scopes, title }, at) => {
    if (lookup === undefined) return undefined
    try {
      await client.authorise(scopes.read)
      const list = { request: lookup.request(at), key: lookup.key }
      const objects = await new MetadataLists().read(client, list)
      if (objects instanceof PlatformError) throw objects
      return objects
    } catch (error) {
      if (!(error instanceof AccessError)) throw error
      note(`${title} are left out: the application may not list them. ${error.hint ?? ''}`)
      return undefined
    }
  }
}

/** Some installations answer with the id alone. */
async function completeObject(
  outer: Kind,
  object: LocatedObject,
  dbId: number | undefined,
  listOf: ListObjects,
  note: (text: string) => void,
): Promise<LocatedObject> {
  if (dbId === undefined || (object.guid !== undefined && object.name !== undefined)) return object
  const objects = await listOf(outer, { dbId }).catch((error) => {
    if (!(error instanceof PlatformError)) throw error
    note(`${outer.title} could not be looked up: ${error.message}`)
    return undefined
  })
  const own = objects?.find(({ id, guid }) =>
    object.guid === undefined ? id !== undefined && String(id) === String(object.id) : guid === object.guid,
  )
  return own === undefined ? object : { ...objectOf({ ...own }), ...object }
}

/** The container of a report or an element is among them, and the answer does not tell which. */
async function findContainer(
  outer: Kind,
  { guid, id }: LocatedObject,
  dbId: number | undefined,
  listOf: ListObjects,
): Promise<LocateResult['levels']> {
  const kind = kinds.find(({ parent, lookup }) => parent === outer.name && lookup !== undefined)
  const reference = guid ?? id
  if (dbId === undefined || reference === undefined || kind === undefined) return []
  const objects = await listOf(kind, { dbId, [outer.name]: String(reference) })
  return objects === undefined ? [] : [{ kind, objects }]
}

function objectOf({ id, guid, name }: Readonly<Record<string, Json | undefined>>): LocateResult['others'][string] {
  return {
    ...((typeof id === 'number' || typeof id === 'string') && { id }),
    ...(typeof guid === 'string' && { guid }),
    ...(typeof name === 'string' && { name }),
  }
}
