// Guard `promoted`: a target that takes only what another one has gets no commit that is not applied there.
import { defineGuard, type Promotion } from './guard.ts'

const short = (commit: string): string => `\`${commit.slice(0, 7)}\``

export const promotedGuard = defineGuard({
  name: 'promoted',
  counts: false,
  truth: 'The commit is applied to the earlier target.',
  on: 'anything',
  needs: ['promotion'],
  find({ promotion }) {
    if (promotion.state === 'applied') return []
    return [{ sentence: formatReason(promotion), numbers: {}, addresses: [], allow: promotion.planned ?? 'none' }]
  },
})

function formatReason({ from, planned, ...found }: Promotion): string {
  const target = `\`${from}\``
  if (found.state === 'unknown') return `svcsync cannot tell the applied commit of ${target}: ${found.why}.`
  if (planned === null)
    return `The planned files are no commit: ${found.why ?? 'nothing is committed'}. ${target} cannot have them.`
  if (found.applied === undefined) return `Nothing is applied to ${target} yet: apply ${short(planned)} there first.`
  return (
    `${short(planned)} is not the applied commit of ${target}, which is ${short(found.applied)}. ` +
    `Apply ${short(planned)} there first.`
  )
}
