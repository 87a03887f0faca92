// By what a difference is known again in the next run: where it is, and not what it says.
import type { AccessEntry } from '../access/describe-access.ts'
import type { Address, SvcIdCase } from '../model/address.ts'
import { showElement } from '../model/elements.ts'
import { canonicalJson } from '../model/json.ts'
import type { Element } from '../model/kind.ts'
import { type Digest, documentTexts } from './plan-digest.ts'
import type { CausedElement, ChangeDocument, DifferenceDocument } from './plan-document.ts'

export interface FingerprintedDifference {
  readonly address: Address
  readonly path?: string
  readonly element?: Element
  /** The act of an apply: it creates or deletes the object, sets the field, adds or removes the entry. */
  readonly act: 'create' | 'delete' | 'set' | 'add' | 'remove'
  /** 16 hexadecimal digits. */
  readonly fingerprint: string
}

/** No value goes into a fingerprint: it is published. So a value that moves on keeps its age. */
export function fingerprintsOf(
  changes: readonly ChangeDocument[],
  svcIds: SvcIdCase,
  digest: Digest,
): FingerprintedDifference[] {
  const { comparable } = documentTexts(svcIds)
  const marked = (each: Omit<FingerprintedDifference, 'fingerprint'>): FingerprintedDifference => {
    const { address, path = null, element = null, act } = each
    const { settings: _, ...entry } = element ?? {}
    const text = comparable([act, address, path, element && entry])
    return { ...each, fingerprint: digest([text]).slice('sha256:'.length).slice(0, 16) }
  }
  return changes.flatMap(({ address, action, differences }) => {
    if (action !== 'update') return [marked({ address, act: action })]
    return differences.flatMap((difference) => {
      const { path } = difference
      const { added, removed } = movedIn(difference)
      if (added === undefined || removed === undefined) return [marked({ address, path, act: 'set' })]
      const come = added.map((caused) => marked({ address, path, element: elementOf(caused), act: 'add' }))
      const gone = removed.map((caused) => marked({ address, path, element: elementOf(caused), act: 'remove' }))
      return [...come, ...gone]
    })
  })
}

export function accessFingerprint(entry: AccessEntry, digest: Digest): string {
  const { subject, level, address, company, kind } = entry
  const text = canonicalJson(['access', subject, level, address, company, kind])
  return digest([text]).slice('sha256:'.length).slice(0, 16)
}

/** Without what is taken and given anew. Undefined: it is no list. */
export function movedIn({ added, removed }: DifferenceDocument): Pick<DifferenceDocument, 'added' | 'removed'> {
  if (added === undefined && removed === undefined) return {}
  const [come, gone] = [added, removed].map((list) => new Set((list ?? []).map((each) => showElement(each))))
  return {
    added: (added ?? []).filter((each) => !gone?.has(showElement(each))),
    removed: (removed ?? []).filter((each) => !come?.has(showElement(each))),
  }
}

function elementOf({ cause: _, before: __, ...element }: CausedElement): Element {
  return element
}
