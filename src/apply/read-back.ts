// Reads an object back and says whether a step's effect is there: how a lost answer is settled.

import { missingElements } from '@svcsync/core/compare/compare-collection.ts'
import { compareFields } from '@svcsync/core/compare/compare-fields.ts'
import { hasUnknownLevel, type KeyedElement, subjectKey } from '@svcsync/core/model/elements.ts'
import { nameKey } from '@svcsync/core/model/identity.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { readList } from '@svcsync/live/read-list.ts'
import { otherShape, readObject } from '@svcsync/live/read-object.ts'

/** Undefined: it does not exist, or is not shown yet. `before`: a name that it may still have. */
export async function readBack(
  port: PlatformPort,
  kind: Kind,
  address: string,
  at: Location,
  settings: { readonly pageSize: number; readonly before?: string | undefined },
): Promise<Live | undefined> {
  if (kind.scope === 'installation' && kind.key === undefined)
    return readObject(port, kind, address, { ...at, self: at.self ?? at.name ?? '' }, settings.before)
  if (kind.lifecycle === 'found' || at.self !== undefined) return readObject(port, kind, address, at, settings.before)
  const list = kind.requests.list?.(at)
  if (list === undefined) return undefined
  const found = (await readList(port, kind, at, list, settings)).get(nameKey(kind, at.name ?? '', port.normalise))?.[0]
  if (found === undefined) return undefined
  const live = await readObject(port, kind, address, { ...at, self: found.self }, settings.before)
  // It is there, whatever it is like: taken for absent, it would be created a second time.
  if (live === undefined) throw otherShape(kind, list.path, 'it is listed, but answers 404 when read', address)
  return live
}

/** A field that is never returned counts as done, unless it is sent for its own sake: repeating it does no harm. */
export function effectIsThere(step: Step, kind: Kind, live: Live | undefined): boolean {
  if (step.rotates !== undefined) return false
  if (step.verb === 'delete') return live === undefined
  if (live === undefined) return false
  if (step.verb === 'add' || step.verb === 'remove') {
    const there = live.collections[step.collection ?? ''] ?? []
    // An account whose level is not told may have this one, or another: whoever is not in the list has none.
    const isUnclear = (element: KeyedElement): boolean =>
      there.some(
        (each) =>
          hasUnknownLevel(each, kind.collections[step.collection ?? '']) && subjectKey(each) === subjectKey(element),
      )
    if (step.elements?.some(isUnclear)) return false
    const missing = missingElements(step.elements ?? [], there)
    return step.verb === 'add' ? missing.length === 0 : missing.length === (step.elements ?? []).length
  }
  if (!bearsName(step, kind, live)) return false
  if (differingFields(step, kind, live).length > 0) return false
  return Object.entries(step.collections ?? {}).every(([name, elements]) => {
    const there = live.collections[name] ?? []
    const isMore = kind.collections[name]?.whole === true && there.length > elements.length
    return !isMore && missingElements(elements, there).length === 0
  })
}

export function differingFields({ spec = {}, fieldKeys }: Step, { sections: [section] }: Kind, live: Live) {
  return compareFields(section, { spec, fieldKeys }, live).differences
}

/** A renaming is complete when the object has the new name. */
function bearsName({ spec }: Step, kind: Kind, live: Live): boolean {
  const name = spec?.[kind.sections[0].identity]
  return name === undefined || name === live.name
}
