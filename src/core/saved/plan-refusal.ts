// Why a plan is not carried on with: everything that is not as it was when the plan was made.
import { type ErrorDetails, RefusedError } from '@svcsync/errors/index.ts'
import { showElement } from '../model/elements.ts'
import { canonicalJson, type Json } from '../model/json.ts'
import type { Element } from '../model/kind.ts'

export interface Discrepancy {
  /** An address, or `target`, or `application`. */
  readonly subject: string
  /** Dotted; empty where it is about the whole. */
  readonly path: string
  readonly planned?: Json | undefined
  readonly found?: Json | undefined
  /** For a collection: elements added and removed since. */
  readonly added?: readonly Element[]
  readonly removed?: readonly Element[]
  /** In place of values: one sentence. */
  readonly remark?: string
  /** An apply that was broken off has written what was planned. */
  readonly written?: true
  /** The heading of a sort of findings; `planned` and `found` then are the changes. */
  readonly under?: string | undefined
}

/** `user/a: name: was "A", and is "B" now`. */
export function discrepancySentence({ subject, path, planned, found, added, removed, ...rest }: Discrepancy): string {
  const about = path === '' ? `${subject}: ` : `${subject}: ${path}: `
  if (rest.remark !== undefined) return `${about}${rest.remark}`
  if (added !== undefined || removed !== undefined) {
    const names = (elements: readonly Element[]): string =>
      elements.map((element) => showElement(element, 'company')).join(', ')
    const parts = [
      ...(removed?.length ? [`without ${names(removed)}`] : []),
      ...(added?.length ? [`with ${names(added)}`] : []),
    ]
    return `${about}is ${parts.join(' and ')} now`
  }
  const shown = (value: Json | undefined): string =>
    value === undefined || value === null ? 'not set' : canonicalJson(value)
  return `${about}was ${rest.written ? 'to be ' : ''}${shown(planned)}, and is ${shown(found)} now`
}

export class PlanRefusal extends RefusedError {
  readonly discrepancies: readonly Discrepancy[]

  constructor(code: string, message: string, discrepancies: readonly Discrepancy[], details: ErrorDetails = {}) {
    super(code, message, details)
    this.discrepancies = discrepancies
  }
}
