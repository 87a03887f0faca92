// Ids for names that no list of the platform tells, such as groups of constants: live objects tell both.
import { type Desired, placeOfField } from '@svcsync/core/model/desired.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import { isMisread, type Kind, type ListRequest } from '@svcsync/core/model/kind.ts'
import type { Live, LiveSnapshot } from '@svcsync/core/model/live.ts'
import type { LiveItem } from '@svcsync/core/model/live-tree.ts'
import { didYouMean, nearMisses, quoted } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import type { ObjectLists } from './object-lists.ts'
import { concernsOne, readObject } from './read-object.ts'

interface NameReference {
  readonly object: Desired
  readonly field: string
  readonly id: string
  readonly name: string
}

type IdsByName = Map<string, Set<number>>

/** A name that leads nowhere is a warning, since nobody can make it; one of several is an error. */
export async function withNamedIds(
  port: PlatformPort,
  desired: readonly Desired[],
  live: LiveSnapshot,
  settings: { readonly pageSize: number; readonly lists: ObjectLists },
) {
  const wanted = desired.flatMap((object) => wantedOf(object, live))
  const ids = new Map<Desired, Record<string, number | undefined> | undefined>()
  const problems: Problem[] = []
  await Promise.all(
    Array.from(
      groupBy(wanted, ({ object }) => listOf(object).path),
      async ([path, parts]) => {
        const [{ object, field, id }] = parts as [NameReference]
        const peers = [...live.objects.values()].filter(
          (peer) => peer.kind === object.kind && listOf(peer).path === path,
        )
        const told = tell(peers, field, id)
        const isKnown = ({ name }: NameReference) => told.has(name)
        const unread = parts.every(isKnown) ? 0 : await tellRest(port, parts, peers, settings, told)
        for (const part of parts) {
          const [only, second] = told.get(part.name) ?? []
          const known = only === undefined ? { [part.field]: undefined } : { [part.id]: only }
          ids.set(part.object, second === undefined ? { ...ids.get(part.object), ...known } : undefined)
          if (second !== undefined) problems.push(ambiguous(part, told))
        }
        const lost = parts.filter((part) => !isKnown(part))
        problems.push(...notFound(lost, told, unread, live))
      },
    ),
  )
  const complete = desired.flatMap((object) => {
    if (!ids.has(object)) return [object]
    const known = ids.get(object)
    return known === undefined ? [] : [{ ...object, spec: withKnown(object.spec, known) }]
  })
  return { desired: complete, problems }
}

/** The list of a kind whose names replace ids; each such kind has one. */
function listOf({ kind, at }: Pick<Live, 'kind' | 'at'>): ListRequest {
  return (kind.requests.list as NonNullable<Kind['requests']['list']>)(at)
}

function wantedOf(object: Desired, live: LiveSnapshot): NameReference[] {
  const { address, spec, kind, absent } = object
  const { names } = fieldsOf(kind.sections[0])
  if (names.length === 0 || absent || live.unreadable.has(address)) return []
  const told = live.objects.get(address)?.spec
  return names.flatMap(({ field, id }) => {
    const name = spec[field]
    return typeof name === 'string' && told?.[field] !== name ? [{ object, field, id, name }] : []
  })
}

function tell(
  objects: Iterable<Pick<Live, 'spec'>>,
  field: string,
  id: string,
  told: IdsByName = new Map(),
): IdsByName {
  for (const { spec } of objects) {
    const [name, value] = [spec[field], spec[id]]
    if (typeof name !== 'string' || name === '' || typeof value !== 'number') continue
    told.set(name, (told.get(name) ?? new Set()).add(value))
  }
  return told
}

/** Adds what the others of the list tell. Gives how many could not be read. */
async function tellRest(
  port: PlatformPort,
  wanted: readonly NameReference[],
  known: readonly Live[],
  { pageSize, lists }: { readonly pageSize: number; readonly lists: ObjectLists },
  told: IdsByName,
): Promise<number> {
  const [{ object, field, id }] = wanted as [NameReference]
  const { kind, at } = object
  const list = listOf(object)
  const read = new Set(known.map(({ self }) => self))
  let unread = 0
  const tried = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!concernsOne(error)) throw error
      unread += 1
    }
  }
  await tried(async () => {
    const listed = [...(await lists.read(port, kind, at, list, { pageSize })).values()].flat()
    const others = listed.filter((part) => !read.has(part.self))
    await Promise.all(
      others.map((part) =>
        tried(async () => {
          if (isMisread(part)) unread += 1
          else {
            const { name, self } = part
            const other = await readObject(port, kind, object.address, { ...at, name, self })
            if (other !== undefined) tell([other], field, id, told)
          }
        }),
      ),
    )
  })
  return unread
}

function withKnown(spec: Desired['spec'], known: Readonly<Record<string, number | undefined>>): Desired['spec'] {
  const entries = Object.entries({ ...spec, ...known }).filter(([key, value]) => value !== undefined || !(key in known))
  return Object.fromEntries(entries)
}

function ambiguous({ object, field, id, name }: NameReference, told: IdsByName): Problem {
  const several = [...(told.get(name) as ReadonlySet<number>)].sort((a, b) => a - b)
  return {
    code: 'SVC1402',
    severity: 'error',
    message: `Several groups of ${object.kind.title.toLowerCase()} are called ${inCode(name)}`,
    address: object.address,
    place: placeOfField(object, [field]),
    hint: `Write \`${id}\` instead: ${several.join(', ')}.`,
  }
}

/** One warning for all objects that want one group. */
function notFound(
  wanted: readonly NameReference[],
  told: IdsByName,
  unread: number,
  { objects }: Pick<LiveSnapshot, 'objects'>,
): Problem[] {
  const isThere = ({ object }: NameReference): boolean => objects.has(object.address)
  const names = [...told.keys()].sort().slice(0, 8)
  const known = names.length > 0 ? ` There are ${quoted(names)}.` : ''
  const without = unread === 0 ? '' : ` in what it could read (${unread} could not be)`
  return Array.from(groupBy(wanted, (each) => `${isThere(each)} ${each.name}`).values(), (alike): Problem => {
    const [first, ...others] = alike as [NameReference]
    const { object, field, id, name } = first
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    const them = others.length === 0 ? 'it' : 'them'
    const fate = isThere(first)
      ? `leaves ${them} where ${them === 'it' ? 'it is' : 'they are'}`
      : `creates ${them} without a group`
    return {
      code: 'SVC1406',
      severity: 'warning',
      message:
        `${inCode(object.at.name ?? '')}${more}: ` +
        `svcsync found no group ${inCode(name)} of ${object.kind.title.toLowerCase()}${without}, and ${fate}`,
      address: object.address,
      place: placeOfField(object, [field]),
      hint:
        didYouMean(nearMisses(name, [...told.keys()])) ??
        `svcsync cannot create a group, and sees none that is empty.${known} ` +
          `Put one constant into the group on the platform, or write \`${id}\`.`,
    }
  })
}

/** Live objects as manifests are to say them: by the name where it leads to the id, else by the id. */
export function describeByName(objects: ReadonlyMap<LiveItem, Live>): ReadonlyMap<LiveItem, Live> {
  const told = new Map<string, IdsByName>()
  for (const live of objects.values()) {
    for (const { field, id } of fieldsOf(live.kind.sections[0]).names) {
      const key = `${listOf(live).path} ${field}`
      told.set(key, tell([live], field, id, told.get(key)))
    }
  }
  const result = new Map<LiveItem, Live>()
  for (const [item, live] of objects) {
    const spec = { ...live.spec }
    for (const { field, id } of fieldsOf(live.kind.sections[0]).names) {
      const name = spec[field]
      const leads = typeof name === 'string' && told.get(`${listOf(live).path} ${field}`)?.get(name)?.size === 1
      delete spec[leads ? id : field]
    }
    result.set(item, { ...live, spec })
  }
  return result
}
