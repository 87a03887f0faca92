// What an export left out stands in no manifest: where `prune` matches it, the next plan would delete it.
import { type FoldSvcId, selectionOf } from '../model/address.ts'
import type { LeftOut } from '../model/live-tree.ts'
import { plainText, type Text } from '../model/sensitive.ts'
import { svcIdMatcher } from '../model/svc-id-matcher.ts'

/** Adds a hint to each account that is left out whole and that a pattern of `prune` (by section) matches. */
export function warnOfPrune(
  leftOut: readonly LeftOut[],
  prune: Readonly<Record<string, readonly Text[]>>,
  protect: readonly Text[],
  fold: FoldSvcId,
): readonly LeftOut[] {
  const isProtected = protect.length === 0 ? () => false : selectionOf(protect.map(plainText))
  return leftOut.map((left) => {
    const { kind, address, field } = left
    const start = `${kind.segment}/`
    if (kind.lifecycle !== 'full' || field !== undefined || !address.startsWith(start)) return left
    const patterns = prune[kind.sections[0].key] ?? []
    const name = address.slice(start.length)
    const pattern = patterns.find((each) => svcIdMatcher(plainText(each), fold)(name))
    if (pattern === undefined || isProtected(address)) return left
    const warning = `The project prunes \`${pattern}\`: a plan deletes it unless a manifest mentions it. Declare it, or list \`${address}\` under \`protect\`.`
    return { ...left, hint: left.hint === undefined ? warning : `${left.hint} ${warning}` }
  })
}
