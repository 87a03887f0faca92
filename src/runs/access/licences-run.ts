// A run that holds access against licences: who can do something without one, and who has one for nothing.
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import { peopleIn } from '@svcsync/core/access/graph-model.ts'
import { listAccess } from '@svcsync/core/access/list-access.ts'
import { byAddress, objectAddress } from '@svcsync/core/model/address.ts'
import { stock } from '@svcsync/core/model/capabilities/stock.ts'
import { compareBy, groupBy } from '@svcsync/core/model/group-by.ts'
import { type ItemElement, isMisread } from '@svcsync/core/model/kind.ts'
import { isoMoment } from '@svcsync/core/model/time-bounds.ts'
import type { LicencesReport } from '@svcsync/core/plan/licences-report.ts'
import { isLackingKind, OperatorError } from '@svcsync/errors/index.ts'
import { ObjectLists } from '@svcsync/live/object-lists.ts'
import { concernsOne } from '@svcsync/live/read-object.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { ReadProject } from '../open/open-project.ts'
import { licenceKindIn, listLicences, typesOf } from '../plan/licences-held.ts'
import type { PlanRun } from '../plan/plan-run.ts'
import { readUndeclared } from '../plan/read-undeclared.ts'

export async function licencesRun(
  opened: Pick<ReadProject, 'project' | 'assembly'>,
  client: PlatformClient,
  { plan, target, reads }: Pick<PlanRun, 'plan' | 'target' | 'reads'>,
  onProgress?: (objects: number) => void,
): Promise<LicencesReport> {
  const { changes, leftOut } = await readUndeclared(client, opened, { ...plan, reads }, onProgress)
  const held = await readLicences(client, opened.project, reads)
  const { normalise } = client
  const { nowMs } = opened.assembly.time
  const graph = accessGraphOf(changes, nowMs)
  const entries = listAccess(graph, 'before', peopleIn(graph))
  const byPerson = groupBy(entries, ({ subject }) => normalise(String(subject)))
  const administering = new Set(opened.project.kinds.flatMap(({ administeredBy }) => administeredBy?.level ?? []))
  const users = new Set([...graph.single].map((number) => normalise(graph.svcIds[number] as string)))
  const unread = [
    ...plan.unreadable,
    ...leftOut.filter(({ kind }) => kind !== held.kind),
    ...[...held.unread].map(([key, reason]) => ({
      address: objectAddress(held.kind, held.names.get(key) ?? key),
      reason,
    })),
  ]
  const unlicensed = [...byPerson]
    .filter(([key]) => !held.unread.has(key) && (held.byPerson.get(key)?.length ?? 0) === 0)
    .map(([key, own]) => ({
      key,
      svcId: String(own[0]?.subject),
      entries: own.length,
      administers: own.some(({ level, kind }) => kind !== 'owner' && level !== null && administering.has(level)),
    }))
    .sort(compareBy(({ svcId }) => svcId))
  const among = (isUser: boolean) => unlicensed.flatMap(({ key, ...each }) => (users.has(key) === isUser ? [each] : []))
  return {
    withoutLicence: among(true),
    perhapsGroups: among(false),
    withoutAccess: [...held.byPerson]
      .filter(([key, own]) => own.length > 0 && !byPerson.has(key))
      .map(([key, own]) => ({ svcId: held.names.get(key) ?? key, licences: typesOf(own) }))
      .sort(compareBy(({ svcId }) => svcId)),
    limitedBeside: [...held.byPerson]
      .flatMap(([key, own]) => limitedIn(held.names.get(key) ?? key, own, held.limited))
      .sort(compareBy(({ svcId }) => svcId)),
    stock: held.stock,
    unread: unread.map(({ address, reason }) => ({ address, reason })).sort(byAddress),
    target,
    readAt: isoMoment(nowMs),
  }
}

/** A licence for some processes beside an unlimited one. No document says which other types a licence covers. */
function limitedIn(
  svcId: string,
  own: readonly ItemElement[],
  limited: ReadonlySet<string>,
): LicencesReport['limitedBeside'] {
  const types = typesOf(own)
  const some = types.filter((type) => limited.has(type))
  const others = types.filter((type) => !limited.has(type))
  return others.length === 0 ? [] : some.map((type) => ({ svcId, limited: type, beside: others }))
}

async function readLicences(
  client: PlatformClient,
  { kinds, settings }: ReadProject['project'],
  reads: PlanRun['reads'],
) {
  const licence = licenceKindIn(kinds)
  if (licence === undefined) throw lackingLicences('')
  const { kind, collection } = licence
  await client.authorise(kind.scopes.read)
  const lists = reads?.lists ?? new ObjectLists()
  const listed = await listLicences(client, licence, lists, settings.pageSize).catch((error) => {
    throw isLackingKind(error) ? lackingLicences((error as Error).message) : error
  })
  const all = [...listed.byPerson.values()].flat()
  // Types that are held for some objects: of those somebody holds one for any.
  const limited = new Set(all.flatMap(({ item, about }) => (about === undefined ? [] : [item])))
  const told = stock.of(kind.collections[collection] ?? {})
  return { ...listed, kind, limited, stock: await readStock(client, told) }
}

/** A failed count ends nothing. */
async function readStock(client: PlatformClient, told: ReturnType<typeof stock.of>): Promise<LicencesReport['stock']> {
  if (told === undefined) return null
  try {
    const supplies = told.parse((await client.send({ method: 'GET', path: told.path })) ?? null)
    if (isMisread(supplies)) return null
    return [...supplies]
      .map(([type, { total, assigned }]) => ({ type, total, assigned }))
      .sort(compareBy(({ type }) => type))
  } catch (error) {
    if (!concernsOne(error)) throw error
    return null
  }
}

function lackingLicences(why: string): OperatorError {
  return new OperatorError('SVC2286', `This installation has no licences to look at${why === '' ? '' : `: ${why}`}`, {
    hint: 'Installations outside of the cloud may manage licences elsewhere.',
  })
}
