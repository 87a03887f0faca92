// Differences between the planned and the current precondition of one object.
import { canonicalJson, isJsonObject, type Json } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import { countChanges, describeUnverifiable, kindTitles } from '../plan/build-plan-document.ts'
import type { Plan } from '../plan/plan.ts'
import type { documentTexts } from '../plan/plan-digest.ts'
import type { ChangeDocument, PlanDocument, StepDocument } from '../plan/plan-document.ts'
import type { Precondition } from '../plan/precondition.ts'
import type { Discrepancy } from './plan-refusal.ts'

/** `keyOf`: one text for the same element. Empty where the two are the same. */
export function comparePreconditions(
  subject: string,
  planned: Precondition,
  found: Precondition,
  keyOf: (element: Element) => string,
): Discrepancy[] {
  if (planned.exists !== found.exists) {
    const remark = planned.exists ? 'was there, and is gone' : 'did not exist, and is there now'
    return [{ subject, path: '', remark }]
  }
  const without = (elements: readonly Element[], others: readonly Element[]): Element[] => {
    const known = new Set(others.map(keyOf))
    return elements.filter((element) => !known.has(keyOf(element)))
  }
  const result: Discrepancy[] = []
  if (planned.self !== found.self) {
    result.push({ subject, path: '', remark: `is another object of the same name (${planned.self} → ${found.self})` })
  }
  if (planned.name !== found.name) {
    result.push({ subject, path: 'name', planned: planned.name ?? null, found: found.name ?? null })
  }
  for (const path of keysOf(planned.fields, found.fields)) {
    const before = planned.fields?.[path]
    const now = found.fields?.[path]
    // The undeclared parts of an update depend on declared fields, which were reported already.
    if (!planned.whole && (before === undefined || now === undefined)) continue
    if (canonicalJson(before) !== canonicalJson(now)) result.push(compareField(subject, path, before, now))
  }
  for (const path of keysOf(planned.collections, found.collections)) {
    const before = planned.collections?.[path] ?? []
    const now = found.collections?.[path] ?? []
    const added = without(now, before)
    const removed = without(before, now)
    if (added.length > 0 || removed.length > 0) result.push({ subject, path, added, removed })
  }
  return result
}

function keysOf(a: object = {}, b: object = {}): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
}

function compareField(subject: string, path: string, planned: Json | undefined, found: Json | undefined): Discrepancy {
  const before = secretOf(planned)
  const now = secretOf(found)
  if (before === undefined && now === undefined) return { subject, path, planned, found }
  const { reference } = (now ?? before) as SecretBasis
  const relation = (secret: SecretBasis | undefined): string =>
    secret === undefined ? 'was not compared with it' : secret.equal ? 'was equal to it' : 'differed from it'
  const after = now?.equal ? 'is equal now' : 'differs now'
  return { subject, path, remark: `the live value ${relation(before)}, and ${after} (${reference})` }
}

interface SecretBasis {
  readonly reference: string
  readonly equal: boolean
}

function secretOf(value: Json | undefined): SecretBasis | undefined {
  if (!isJsonObject(value)) return undefined
  const { reference, equal } = value
  return typeof reference === 'string' && typeof equal === 'boolean' ? { reference, equal } : undefined
}

/** The preconditions hold, but the requests differ: a time bound has passed, or the declarations changed. */
export function compareRequests(subject: string, planned: readonly string[], now: readonly string[]): Discrepancy[] {
  if (planned.join('\n') === now.join('\n')) return []
  const only = (lines: readonly string[], others: readonly string[]): string =>
    lines.filter((line) => !others.includes(line)).join('; ') || 'nothing more'
  return [{ subject, path: '', remark: `would send ${only(now, planned)}; planned was ${only(planned, now)}` }]
}

/** `steps`: those that would have to be sent though they were, or were never planned. */
export function remainingDifferences(
  subject: string,
  steps: readonly StepDocument[],
  change: ChangeDocument | undefined,
  { comparable }: ReturnType<typeof documentTexts>,
): Discrepancy[] {
  if (change?.action === 'create') return [{ subject, path: '', remark: 'was written, and is gone' }]
  if (change?.action === 'delete') return [{ subject, path: '', remark: 'was deleted, and is there again' }]
  const paths = new Set(steps.map(({ collection }) => collection))
  const keyOf = ({ svcId, level, company, item }: Element): string => comparable({ svcId, level, company, item })
  const sent = new Set(steps.flatMap(({ elements = [] }) => elements.map(keyOf)))
  // Elements that were not begun are still to come or go, unchanged.
  const among = (elements: readonly Element[] = []) => elements.filter((element) => sent.has(keyOf(element)))
  const found = (change?.differences ?? [])
    .filter(({ path, added }) => added === undefined || paths.has(path))
    .map(({ path, before, after, masked, added, removed }): Discrepancy => {
      if (masked) return { subject, path, remark: 'is another value now' }
      // An element to add has gone since.
      if (added !== undefined) return { subject, path, added: among(removed), removed: among(added) }
      return { subject, path, planned: after, found: before, written: true }
    })
  return found.length > 0 ? found : [{ subject, path: '', remark: 'is not as its steps leave it' }]
}

/** If everything holds and nothing began, compares the plan's contents with the result of its declarations. */
export function compareContents(
  planned: PlanDocument,
  now: Pick<PlanDocument, 'steps' | 'changes'>,
  plan: Omit<Plan, 'guards'>,
  texts: ReturnType<typeof documentTexts>,
  unread: ReadonlySet<string>,
): Discrepancy[] {
  const textsOf = (changes: readonly ChangeDocument[]) =>
    new Map(
      changes.filter(({ address }) => !unread.has(address)).map((change) => [change.address, texts.change(change)]),
    )
  const [shown, found] = [textsOf(planned.changes), textsOf(now.changes)]
  const differing = [...new Set([...shown.keys(), ...found.keys()])].filter(
    (each) => shown.get(each) !== found.get(each),
  )
  if (differing.length > 0) {
    const remark = 'is shown otherwise in the plan than it comes out'
    return differing.map((subject) => ({ subject, path: '', remark }))
  }
  // Unreadable parts count as nothing, and totals leave them out.
  if (unread.size > 0) return []
  const orderOf = ({ steps }: Pick<PlanDocument, 'steps'>): string =>
    steps
      .map(({ id, address, kind, dependsOn, follows = [], restsOn = '' }) =>
        [id, address, kind, dependsOn, follows, restsOn].join(' '),
      )
      .join('\n')
  const whole = (remark: string): Discrepancy[] => [{ subject: 'plan', path: '', remark }]
  if (orderOf(planned) !== orderOf(now)) return whole('the order of its requests comes out differently')
  if (shown.size !== planned.changes.length) return whole('it shows a change twice')
  // Unchanged objects were not read again, so only the file knows them.
  const written = planned.unverifiable.filter(({ address }) => shown.has(address))
  if (texts.comparable(written) !== texts.comparable(describeUnverifiable(plan.changes)))
    return whole('the list of incomparable fields is different')
  // Unchanged objects were not read again.
  const { none, gained, lost, unknown, released, overwritten } = planned.counts
  const excepted = planned.exceptions && { excepted: planned.exceptions.left.length }
  const counts = { ...countChanges(plan), none, gained, lost, unknown, released, overwritten, ...excepted }
  const isCounted = texts.comparable(counts) === texts.comparable(planned.counts)
  return isCounted && texts.comparable(kindTitles(plan)) === texts.comparable(planned.kinds)
    ? []
    : whole('its summary comes out differently')
}
