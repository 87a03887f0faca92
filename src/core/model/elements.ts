// Elements of collections: whom they are about, and how they are shown.
import type { FoldSvcId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Collection, Element } from './kind.ts'

/**
 * Under which an element takes the place of another: the account, whatever its level is; of what is no account, which one it
 * is, whatever its settings are.
 */
export function subjectKey({ svcId, item, about }: Element, fold: FoldSvcId): string {
  return svcId === undefined ? ` ${item} ${about?.guid.toLowerCase() ?? ''}` : fold(svcId)
}

/** A privilege of a live list that does not tell its level: it may be any, and cannot be taken away. */
export function isUntold({ svcId, level }: Element, collection: Pick<Collection, 'part'> | undefined): boolean {
  return collection?.part !== undefined && svcId !== undefined && level === undefined
}

/** The accounts among them. */
export function accountsIn(elements: readonly Element[]): string[] {
  return elements.flatMap(({ svcId }) => (svcId === undefined ? [] : [svcId]))
}

export function elementName({ svcId, item }: Element): string {
  return svcId ?? item ?? ''
}

/** To what it is limited: a level, a business entity, a process, settings. */
export function elementLimits(
  { level, company, about, settings = {} }: Element,
  without?: 'level' | 'company',
): string[] {
  return [
    ...(level === undefined || without === 'level' ? [] : [level]),
    ...(company == null || without === 'company' ? [] : [company.name]),
    ...(about === undefined ? [] : [about.name]),
    ...Object.entries(settings).map(([key, value]) => `${key}: ${canonicalJson(value ?? null)}`),
  ]
}

/** `ap-clerks@example.com (Modify, PL01)`, `SingleSolutionUser (Invoice approval)`. `without`: what is told elsewhere. */
export function showElement(element: Element, without?: 'level' | 'company'): string {
  const limits = elementLimits(element, without)
  return limits.length === 0 ? elementName(element) : `${elementName(element)} (${limits.join(', ')})`
}
