// Guard `protected`: what the project file protects is neither deleted nor emptied.
import { inCode } from '../../errors/index.ts'
import type { Aftermath } from '../access/aftermath.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { addressMatcher } from '../model/address.ts'
import { plainText } from '../model/sensitive.ts'
import { type Finding, type Guard, isDeletion } from './guard.ts'

export const protectedStayWhole: Guard = {
  name: 'protected',
  counts: false,
  truth: 'Nothing that is protected is deleted or emptied.',
  find({ changes, aftermath }, { protect }) {
    if (protect.length === 0) return []
    const kinds = [...new Set(changes.map(kindOf))]
    const matchers = protect.map((glob) => ({ glob, matches: addressMatcher(plainText(glob), kinds) }))
    return changes.flatMap((change): Finding[] => {
      const { address } = change
      const glob = matchers.find(({ matches }) => matches(address))?.glob
      if (glob === undefined) return []
      const emptied = emptiedLists(change, aftermath)
      if (!isDeletion(change) && emptied.length === 0) return []
      const what = isDeletion(change) ? 'would be deleted' : `would lose the last of its ${emptied.join(' and ')}`
      const sentence = `${inCode(address)} ${what}, and \`protect\` says \`${glob}\`.`
      return [{ sentence, numbers: {}, addresses: [address], allow: address }]
    })
  },
}

/** Collections in which there is somebody, and nobody afterwards. */
export function emptiedLists(change: Change, aftermath: Aftermath): string[] {
  if (change.live === undefined || isDeletion(change)) return []
  return Object.keys(change.live.collections).filter(
    (name) =>
      aftermath.elements(change, name, 'before').length > 0 && aftermath.elements(change, name, 'after').length === 0,
  )
}
