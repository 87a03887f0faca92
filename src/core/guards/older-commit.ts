// Guard `older-commit`: only what comes after the commit that was applied last is applied.
import { type CommitHistory, defineGuard, type Finding } from './guard.ts'

const short = (commit: string): string => `\`${commit.slice(0, 7)}\``

export const olderCommitGuard = defineGuard({
  name: 'older-commit',
  counts: false,
  truth: 'The planned commit comes after the last applied one.',
  on: 'anything',
  needs: ['history'],
  find({ history }) {
    return [...findOlder(history), ...history.strays.map((stray) => findStray(stray, history))]
  },
})

function findOlder({ applied, planned, follows }: CommitHistory): readonly Finding[] {
  if (applied === undefined || follows === 'yes') return []
  const last = `${short(applied)}, which was applied last`
  const sentence =
    planned === null
      ? `The plan has no commit, so svcsync cannot tell whether it follows ${last}.`
      : follows === 'unknown'
        ? `svcsync cannot tell whether ${short(planned)} follows ${last}: the history is incomplete. ` +
          'Run `git fetch --unshallow`.'
        : `${short(planned)} does not follow ${last}, and would revert it. Pull or merge it, then plan again.`
  return [{ sentence, numbers: {}, addresses: [], allow: planned ?? 'none' }]
}

function findStray(
  { commit, isKnown, undo = false }: CommitHistory['strays'][number],
  { planned }: CommitHistory,
): Finding {
  const begun = `The ledger names ${short(commit)} as ${undo ? 'what an undo led back to' : 'begun and not completed'}`
  const line = planned === null ? 'history' : `history that leads to ${short(planned)}`
  const sentence = isKnown
    ? `${begun}, and that commit is not on the line of ${line}, as after \`git commit --amend\` or a rebase: ` +
      `access that it alone gave would stay. \`git merge -s ours ${commit.slice(0, 7)}\` ` +
      'puts it there without its content; the next plan removes that access.'
    : `${begun}, and svcsync cannot tell if it is on the line of ${line}: access that it alone gave would stay. ` +
      '`git fetch` it, and plan again.'
  return { sentence, numbers: {}, addresses: [], allow: commit }
}
