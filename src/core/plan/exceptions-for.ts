// The exceptions that would leave the differences of a plan alone: as the file says them.
import type { Address } from '../model/address.ts'
import type { CausedElement, ChangeDocument, DifferenceDocument } from './plan-document.ts'
import { netMovements } from './run-history.ts'

type ExceptionSubject =
  | {
      readonly address: Address
      readonly path?: string
      readonly entry?: string
      readonly level?: string
      readonly company?: string
    }
  | { readonly person: string; readonly level: string; readonly object: Address; readonly company?: string }

interface ProposedException {
  readonly address: Address
  /** null: none can name it. */
  readonly subject: ExceptionSubject | null
  /** For people: the field, the entry, or what becomes of the object. */
  readonly what: string
  /** Why nothing is excepted: a part of a sentence. */
  readonly why?: string
}

export function proposeExceptions(changes: readonly ChangeDocument[]): ProposedException[] {
  return changes.flatMap((change) => {
    const { address, action, differences } = change
    if (action === 'update') return differences.flatMap((difference) => ofDifference(address, difference))
    const what = action === 'create' ? 'is missing' : 'is there'
    return [unlessDeclared({ address, subject: { address }, what }, change.cause)]
  })
}

function ofDifference(address: Address, difference: DifferenceDocument): ProposedException[] {
  const { path, cause } = difference
  const { added, removed } = netMovements(difference)
  if (added === undefined || removed === undefined)
    return [unlessDeclared({ address, subject: { address, path }, what: path }, cause)]
  return [
    ...removed.map((element) => ofEntry(address, path, element, 'removed', cause)),
    ...added.map((element) => ofEntry(address, path, element, 'added', cause)),
  ]
}

function ofEntry(
  address: Address,
  path: string,
  element: CausedElement,
  sign: 'added' | 'removed',
  own: DifferenceDocument['cause'],
): ProposedException {
  const { svcId, item, level, company, about, cause = own } = element
  const entry = svcId ?? item ?? ''
  const limits = { ...(level !== undefined && { level }), ...(company && { company: company.name }) }
  const what = [path, [entry, ...Object.values(limits)].join(' ')].join(': ')
  if (about !== undefined) return { address, subject: null, what, why: 'it is limited to an object' }
  if (svcId !== undefined && sign === 'removed' && level !== undefined) {
    const subject = { person: svcId, level, object: address, ...(company && { company: company.name }) }
    return unlessDeclared({ address, subject, what }, cause)
  }
  return unlessDeclared({ address, subject: { address, path, entry, ...limits }, what }, cause)
}

/** A change of the manifests wins over an exception, which would leave nothing alone. */
function unlessDeclared(found: ProposedException, cause: DifferenceDocument['cause']): ProposedException {
  if (cause == null || cause === 'live') return found
  return { ...found, subject: null, why: 'the manifests moved since the last apply, and win' }
}
