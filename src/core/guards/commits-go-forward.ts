// Guard `older-commit`: where a ledger says which commit was applied, only what comes after it is applied.
import type { Guard } from './guard.ts'

const short = (commit: string): string => `\`${commit.slice(0, 7)}\``

export const commitsGoForward: Guard = {
  name: 'older-commit',
  counts: false,
  truth: 'What is applied comes after the commit that was applied last.',
  concerns: ({ history }) => history !== undefined,
  find({ history }) {
    if (history === undefined || history.isDescendant === true) return []
    const { applied, planned, isDescendant } = history
    const last = `${short(applied)}, which was applied last`
    const sentence =
      planned === null
        ? `No commit is known, and nothing says whether this comes after ${last}.`
        : isDescendant === undefined
          ? `Nothing says whether ${short(planned)} comes after ${last}: the history ends before. \`git fetch --unshallow\` brings the rest.`
          : `${short(planned)} does not come after ${last}: what that one brought would be taken back. A pull or a merge brings it in, and then a new plan.`
    return [{ sentence, numbers: {}, addresses: [], allow: planned ?? 'none' }]
  },
}
