// `svcsync accept --pull-request`: changes made by hand, as a branch with a commit for each object, and one request.
import { cwd, env } from 'node:process'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Acceptance, AcceptResult } from '@svcsync/editor/accept-list.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { acceptBranch, decideRequest, isOpenRequest } from '@svcsync/forge/accept-request.ts'
import type { ForgeName } from '@svcsync/forge/forge-name.ts'
import { forgeOf } from '@svcsync/forge/forges.ts'
import { describeKeepResult, keepItem, type RequestStore } from '@svcsync/forge/keep-item.ts'
import { blobsAt, changedSince, foreignCommits } from '@svcsync/git/commit-files.ts'
import { commitOf, follows, isShallow, shortCommit } from '@svcsync/git/commit-tree.ts'
import { fetchBranches, moveBranch, openRemote, type Remote } from '@svcsync/ledger/remote.ts'
import { formatAcceptedCounts, renderAcceptRequest } from '@svcsync/render/report/accept-request.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise, neutraliseLines } from '@svcsync/render/text/neutralise.ts'
import { commitEdits } from '@svcsync/runs/edit/edit-commits.ts'
import type { EditedProject } from '@svcsync/runs/edit/edit-project.ts'
import type { ProjectForEdit } from '@svcsync/runs/edit/open-for-edit.ts'
import { sha256 } from '@svcsync/runs/open/sha256.ts'
import { linkFrom } from '../../planning/place-links.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'

interface AcceptedEdit extends AcceptResult {
  readonly project: ProjectForEdit
  readonly before: PlanDocument
  /** Undefined: there is nothing to accept. */
  readonly made: { readonly edited: EditedProject; readonly after: PlanDocument } | undefined
}

/** Differences that can be taken, but for Administrators whom nobody allowed: those hold up nobody else. */
export function withoutAdministrators(found: AcceptResult, allowances: readonly string[]): AcceptResult {
  const isLeft = ({ administrator }: Acceptance): boolean =>
    administrator !== undefined && !allowances.includes(administrator)
  const left = found.taken.filter(isLeft).map(({ address, what, administrator }) => ({
    ...{ address, what },
    why: `it keeps an Administrator, which takes \`--allow exception-administrator=${administrator}\``,
  }))
  return { ...found, taken: found.taken.filter((each) => !isLeft(each)), refused: [...found.refused, ...left] }
}

export async function openRequest(
  accepted: AcceptedEdit,
  options: { readonly only: readonly string[]; readonly to: ForgeName | 'auto'; readonly dryRun: boolean },
  console: Console,
) {
  const { project, before, made, refused } = accepted
  const [{ project: opened }] = project.targets
  const target = opened.targetName
  const branch = acceptBranch(target)
  const drift: Parameters<typeof renderAcceptRequest>[0] = { ...accepted, after: made?.after ?? before }
  const text = (maxLength: number): string => renderAcceptRequest(drift, { maxLength, link: linkFrom(env, cwd()) })
  if (options.dryRun) {
    const diffs = (made?.edited.files ?? []).map(({ diff }) => diff.trimEnd())
    await console.result([...diffs, text(65_000)].join('\n\n'))
    return refused.length > 0 ? exitCodes.partial : exitCodes.done
  }
  const requests = forgeOf(options.to, env).requests(env, branch)
  try {
    const remote = openRemote(opened.file, opened.ledger?.remote ?? 'origin', undefined, 'branch')
    const place = await readBranch(remote, requests, branch)
    if (place.foreign.length > 0) {
      console.question(`${describeForeign(branch, place.foreign)}\n`)
      return exitCodes.partial
    }
    const commits = made && commitEdits(remote.dir, place.head, made.edited, accepted.taken)
    const decide = decideRequest({
      ...{ target, render: text, longest: requests.longest },
      digest: made && sha256(accepted.taken.map(({ address, what }) => `${address}\0${what}`)).slice(7, 23),
      selection: { only: options.only, access: false },
      isComplete: before.unreadable.length === 0,
      nothing:
        refused.length > 0 ? 'Nothing is left that can be accepted.' : 'The drift is gone: there is nothing to accept.',
    })
    const kept = await keepItem(requests, {
      ...{ code: 'SVC2823', isOurs: isOpenRequest(target) },
      decide: async (item) => {
        const act = decide(item)
        // The branch first: a request without one cannot be made.
        if (commits !== undefined && act.act !== 'leave') await pushUnlessSame(remote, place, branch, commits)
        return act
      },
    })
    if (kept.became === 'closed' && place.tip !== undefined) await moveBranch(remote, branch, place.tip, undefined)
    const changes =
      made === undefined
        ? ''
        : `\n${formatAcceptedCounts(drift)}; ${formatCount(commits?.commits ?? 0, 'commit')} on ${branch}.`
    const left = refused.map(({ address, what, why }) => `\nNot taken: ${address}  ${what}: ${why}.`)
    await console.result(neutraliseLines(`${describeKeepResult(requests.what, kept)}${changes}${left.join('')}`))
    return refused.length > 0 ? exitCodes.partial : exitCodes.done
  } finally {
    requests.close?.()
  }
}

function describeForeign(branch: string, [first, ...others]: ReturnType<typeof foreignCommits>): string {
  const more = others.length > 0 ? `, and ${formatCount(others.length, 'more commit')}` : ''
  const what = `${shortCommit(first?.id ?? '')} by ${first?.by}${more}, which svcsync did not make`
  return neutralise(
    `warning SVC2826  The branch ${branch} has ${what}: it is left as it is. Merge it, or delete the branch.`,
  )
}

/** Throws an OperatorError where this folder is not of the branch that is merged into. */
async function readBranch(remote: Remote, requests: RequestStore, branch: string) {
  const { dir } = remote
  if (isShallow(dir))
    throw new OperatorError('SVC2824', 'This clone is shallow: svcsync cannot tell whose commits a branch has', {
      hint: 'Fetch all history: `fetch-depth: 0` for GitHub, `GIT_DEPTH: 0` for GitLab, `fetchDepth: 0` for Azure.',
    })
  const base = await requests.base()
  const ids = await fetchBranches(remote, [base, branch])
  const head = commitOf(dir, 'HEAD')
  const into = ids.get(base)
  if (head === undefined || into === undefined || follows(dir, into, head) !== 'yes')
    throw new OperatorError('SVC2824', `This folder has commits that the branch \`${base}\` does not have`, {
      hint: `Check out \`${base}\` as the remote has it, and run the command again.`,
    })
  const tip = ids.get(branch)
  return { head, tip, foreign: tip === undefined ? [] : foreignCommits(dir, tip, [into]) }
}

/** A branch that says the same of the same files stays: what was approved and checked of it holds. */
async function pushUnlessSame(
  { dir, ...remote }: Remote,
  { head, tip }: Awaited<ReturnType<typeof readBranch>>,
  branch: string,
  { tip: wanted, files }: ReturnType<typeof commitEdits>,
): Promise<void> {
  if (tip === wanted) return
  if (tip !== undefined) {
    const paths = [...files.keys()].sort()
    const [own, there] = [blobsAt(dir, wanted, paths), blobsAt(dir, tip, paths)]
    const isSame = paths.every((path) => own.get(path) === there.get(path))
    if (isSame && changedSince(dir, head, tip).toSorted().join('\0') === paths.join('\0')) return
  }
  await moveBranch({ dir, ...remote }, branch, tip, wanted)
}
