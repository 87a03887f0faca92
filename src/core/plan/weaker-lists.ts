// Finds lists that have become additive since the base, and objects that nothing manages any more.
import { inCode, type Place } from '@svcsync/errors/index.ts'
import { writtenMode } from '../assemble/read-list.ts'
import { type Desired, type DesiredCollection, placeOfField } from '../model/desired.ts'
import { groupBy } from '../model/group-by.ts'
import { fieldOfList } from '../model/schema-fields.ts'
import type { Plan } from './plan.ts'
import type { WeakenedProtection } from './plan-document.ts'

interface WeakeningContext {
  readonly noLongerDeclared: Plan['noLongerDeclared'] | undefined
  readonly commit: string | null
  /** Settings that are looser now: lists that say nothing themselves are looser because of one of these. */
  readonly settings: ReadonlySet<string>
}

/** `desired`: with what the base says of them. In the order of the objects. */
export function findWeakerLists(desired: readonly Desired[], context: WeakeningContext): WeakenedProtection[] {
  const kept = groupBy(context.noLongerDeclared ?? [], ({ address }) => address)
  return desired.flatMap((object): WeakenedProtection[] => {
    const { address, since } = object
    // What an apply deletes needs no list.
    if (since === undefined || since.isBegun || object.absent) return []
    const whole = kept.get(address)?.find(({ becomes, path }) => becomes === 'kept' && path === undefined)
    if (whole !== undefined) return [unmanagedObject(object, whole.place)]
    if (since.standing === 'gone') return goneLists(object, since.base, context.commit)
    return [
      ...Object.keys(since.base.collections).flatMap((name) => weakerList(object, since.base, name, context)),
      ...newlyUnmanaged(object, since.base),
    ]
  })
}

function unmanagedObject({ address }: Desired, was: WeakenedProtection['was']): WeakenedProtection {
  const sentence = `svcsync no longer manages ${inCode(address)}: nothing declares it`
  return { what: 'object', address, sentence, ...(was && { was }) }
}

/** For kinds that are only found, such as processes: nobody deletes the object, and nothing determines its lists. */
function goneLists(object: Desired, base: Desired, commit: string | null): WeakenedProtection[] {
  const isManaged = Object.values(base.collections).some(({ mode }) => mode === 'exclusive')
  if (object.kind.lifecycle !== 'found' || !isManaged) return []
  return [unmanagedObject(object, { commit, ...placeOfField(base, []) })]
}

function weakerList(
  object: Desired,
  base: Desired,
  name: string,
  { commit, settings }: WeakeningContext,
): WeakenedProtection[] {
  const [before, after] = [base.collections[name], object.collections[name]]
  const field = fieldOfList(object.declarations[0].section, name)
  if (before?.mode !== 'exclusive' || field === undefined) return []
  const was = { commit, ...placeOfField(base, [field]) }
  const list = (sentence: string, place?: Place): WeakenedProtection[] => [
    { what: 'list', address: object.address, sentence, ...(place && { place }), was },
  ]
  const where = `${inCode(field)} of ${inCode(object.address)}`
  if (after === undefined) {
    const isLeft = object.unmanaged?.some(({ path }) => path === field)
    return isLeft ? [] : list(`svcsync no longer manages ${where}: nothing lists it`)
  }
  if (after.mode === 'additive') {
    const isBySetting = settings.has(`settings.${field}`) || settings.has('settings.collections')
    if (isBySetting && object.declarations.every((each) => writtenMode(each, field) === undefined)) return []
    return list(`${where} becomes additive: svcsync takes nobody out of it`, placeOfField(object, ['manage', field]))
  }
  const lost = lostParts(before, after).filter(
    (part) => !object.unmanaged?.some(({ path }) => path === `${field}.${part}`),
  )
  if (lost.length === 0 || settings.has(`settings.${field}`)) return []
  return list(`svcsync no longer manages ${lost.map(inCode).join(', ')} in ${where}`, placeOfField(object, [field]))
}

function lostParts({ parts }: DesiredCollection, { parts: now }: DesiredCollection): readonly string[] {
  return parts === 'all' || now === 'all' ? [] : parts.filter((part) => !now.includes(part))
}

function newlyUnmanaged({ address, unmanaged = [] }: Desired, base: Desired): WeakenedProtection[] {
  const known = new Set(base.unmanaged?.map(({ path, section }) => `${section.key} ${path}`))
  return unmanaged
    .filter(({ path, section }) => !known.has(`${section.key} ${path}`))
    .map(({ path, place }) => ({
      what: 'list',
      address,
      sentence: `${inCode(path)} of ${inCode(address)} is unmanaged in this target`,
      place,
    }))
}
