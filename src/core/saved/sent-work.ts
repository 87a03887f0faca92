// The changes that an apply with a journal sent to each object: fields and elements, with former values.
import { byAddress } from '../model/address.ts'
import { append, groupBy } from '../model/group-by.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import type { Element, Location } from '../model/kind.ts'
import type { DifferenceDocument, PlanDocument, StepDocument } from '../plan/plan-document.ts'
import type { Precondition, Preconditions } from '../plan/precondition.ts'

interface JournalledWork {
  readonly plan: PlanDocument
  readonly preconditions: Preconditions
  /** The steps that began. */
  readonly steps: ReadonlyMap<string, JournalledStep>
}

interface JournalledStep {
  readonly state: string
  readonly attempts: number
  readonly line: number
}

type SentStep = JournalledStep & { readonly step: StepDocument }

interface SentElement {
  readonly element: Element
  /** It is known that it was carried out. Otherwise the platform tells. */
  readonly isSure: boolean
}

export interface SentWork {
  readonly address: string
  /** The line of the journal that names it first. */
  readonly line: number
  /** Its number among those of the line, from 1: problems with one place would count as one. */
  readonly column: number
  readonly kind: string
  readonly at: Location
  /** Its life: created or deleted, and whether that is known; undefined: it was there and stayed. */
  readonly life?: { readonly verb: 'create' | 'delete'; readonly state: 'done' | 'unknown' | 'failed' }
  /** For an existing object: the written fields, with former values. */
  readonly fields: readonly DifferenceDocument[]
  readonly specs: readonly JsonObject[]
  readonly added: ReadonlyMap<string, readonly SentElement[]>
  readonly removed: ReadonlyMap<string, readonly SentElement[]>
  readonly before: Precondition
}

/** Sorted by address. Steps that were not sent, and those that found nothing to do, did nothing. */
export function sentWork({ plan, preconditions, steps }: JournalledWork): readonly SentWork[] {
  const sent = plan.steps.flatMap((step): SentStep[] => {
    const kept = steps.get(step.id)
    return kept !== undefined && kept.attempts > 0 ? [{ ...kept, step }] : []
  })
  const changes = new Map(plan.changes.map((change) => [change.address, change]))
  const before = new Map(preconditions.objects.map(({ address, basis }) => [address, basis]))
  const work = [...groupBy(sent, ({ step }) => step.address)]
    .map(([address, own]): Omit<SentWork, 'column'> => {
      const [{ kind, at }] = own.map(({ step }) => step) as [StepDocument]
      const life = own.find(({ step: { verb } }) => verb === 'create' || verb === 'delete')
      const differences = changes.get(address)?.differences ?? []
      const wasUpdated = life === undefined && own.some(({ step }) => step.verb === 'update')
      return {
        address,
        line: Math.min(...own.map(({ line }) => line)),
        kind,
        at: at as Location,
        ...(life && {
          life: {
            verb: life.step.verb as 'create' | 'delete',
            state: life.state === 'done' || life.state === 'unknown' ? life.state : 'failed',
          },
        }),
        fields: wasUpdated ? differences.filter(({ added: list }) => !list) : [],
        specs: own.flatMap(({ step: { spec } }) => (isJsonObject(spec) ? [spec] : [])),
        ...listsSent(own, differences),
        before: before.get(address) ?? { exists: true },
      }
    })
    .sort(byAddress)
  const named = new Map<number, number>()
  return work.map((each): SentWork => {
    const column = (named.get(each.line) ?? 0) + 1
    named.set(each.line, column)
    return { ...each, column }
  })
}

/** By collection. `differences`: of the object, as the plan has them. */
function listsSent(
  own: readonly SentStep[],
  differences: readonly DifferenceDocument[],
): Pick<SentWork, 'added' | 'removed'> {
  const lists = { added: new Map<string, SentElement[]>(), removed: new Map<string, SentElement[]>() }
  for (const { step, state } of own)
    for (const [sign, list, sent] of partsSent(step, differences))
      for (const element of sent) append(lists[sign], list, { element, isSure: state === 'done' })
  return lists
}

type SentPart = readonly [sign: 'added' | 'removed', list: string, elements: readonly Element[]]

function partsSent(
  { verb, collection = '', elements = [], collections = {} }: StepDocument,
  differences: readonly DifferenceDocument[],
): readonly SentPart[] {
  if (verb === 'add') return [['added', collection, elements]]
  if (verb === 'remove') return [['removed', collection, elements]]
  return Object.entries(collections).flatMap(([list, sent]): SentPart[] => {
    if (verb === 'create') return [['added', list, sent]]
    // An update carries lists whole: what came and what went, the plan says.
    const { added = [], removed = [] } = differences.find(({ path }) => path === list) ?? {}
    return [
      ['added', list, added],
      ['removed', list, removed],
    ]
  })
}
