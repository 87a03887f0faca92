// Guard `protected`: what the project file protects is neither deleted nor emptied.
import { inCode } from '@svcsync/errors/index.ts'
import { kindOf } from '../compare/change.ts'
import { addressMatcher } from '../model/address.ts'
import { plainText } from '../model/sensitive.ts'
import { emptiedLists } from './emptied-lists.ts'
import { defineGuard, type Finding, isDeletion } from './guard.ts'

export const protectedGuard = defineGuard({
  name: 'protected',
  counts: false,
  truth: 'Nothing that is protected is deleted or emptied.',
  on: 'removals',
  needs: ['changes', 'aftermath', 'protect'],
  find({ changes, aftermath, protect }) {
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
      const sentence = `${inCode(address)} ${what}, but \`protect\` lists \`${glob}\`.`
      return [{ sentence, numbers: {}, addresses: [address], allow: address }]
    })
  },
})
