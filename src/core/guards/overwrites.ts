// Guard `overwrites`: what was changed on the platform since the base is not changed back, where the project says so.
import { byCount, inCode } from '@svcsync/errors/index.ts'
import { firstFew } from '../model/near-misses.ts'
import { defineGuard, type Finding } from './guard.ts'

export const overwritesGuard = defineGuard({
  name: 'overwrites',
  counts: false,
  truth: 'Nothing that was changed on the platform since the base is changed back.',
  on: 'anything',
  needs: ['overwritten'],
  find({ overwritten }) {
    return overwritten.map(({ address, what }): Finding => {
      const subject = `${what.length === 0 ? '' : `${firstFew(what, 3)} of `}${inCode(address)}`
      const were = byCount(what.length, 'was', 'were')
      const sentence = `${subject} ${were} changed on the platform since the base, and would be reverted.`
      return { sentence, numbers: { count: Math.max(what.length, 1) }, addresses: [address], allow: address }
    })
  },
})
