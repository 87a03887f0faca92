// `svcsync drift --to`: keeps the findings in one issue for each target, until a run finds none.
import { existsSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { cwd, env } from 'node:process'
import { accessFingerprint, fingerprintsOf, type HistoryRun } from '@svcsync/core/plan/run-history.ts'
import type { Place } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { codeOwners, isTeam } from '@svcsync/forge/codeowners.ts'
import { decideIssue, driftLabel, isIssueOf, verdictIn } from '@svcsync/forge/drift-issue.ts'
import type { ForgeName } from '@svcsync/forge/forge-name.ts'
import { forgeOf } from '@svcsync/forge/forges.ts'
import { describeKeepResult, keepItem } from '@svcsync/forge/keep-item.ts'
import { repositoryOf } from '@svcsync/git/repository.ts'
import type { ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import { endingSoon, renderDriftIssue, undeclaredIn } from '@svcsync/render/report/drift-issue.ts'
import { verdictAsJson } from '@svcsync/render/report/render-json.ts'
import type { ReadProject } from '@svcsync/runs/open/open-project.ts'
import { sha256 } from '@svcsync/runs/open/sha256.ts'
import { linkFrom } from '../../planning/place-links.ts'
import { isPosted } from '../../planning/posting.ts'
import { optionsOfPlan } from '../../planning/render-plan.ts'
import type { SharedOptions } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'

interface IssueOptions extends SharedOptions {
  readonly access?: boolean
  readonly to?: ForgeName | 'auto'
  readonly notify?: readonly string[]
}

/**
 * Keeps the issue if `--to` asks for it, and notifies webhooks if the verdict differs from the one in it. Without an
 * issue, the history has the verdict. `last`: the last run of this extent; undefined: notifies all.
 */
export async function publishDrift(
  drift: ShownPlan,
  opened: ReadProject,
  options: IssueOptions,
  last: Pick<HistoryRun, 'severity' | 'verdict'> | undefined,
  console: Console,
): Promise<void> {
  const { to, notify = [], caFile } = options
  const was = last === undefined || last.severity === 'none' ? null : last.verdict
  const changed =
    to !== undefined
      ? await keepDriftIssue(to, drift, opened, options, console)
      : was === verdictLine(drift)
        ? undefined
        : { before: was, issue: null }
  if (changed === undefined || notify.length === 0) return
  const { notifyAll } = await import('../../planning/notify.ts')
  const { notificationAs } = await import('@svcsync/render/report/notification.ts')
  const all = { drift, ...changed }
  await notifyAll(opened.project, notify, (form) => notificationAs(form, all), { caFile, console })
}

/** The verdict before, where it was another one. Undefined: nothing has changed, or nobody knows. */
type VerdictChange = { readonly before: string | null; readonly issue: string | null } | undefined

/** null: there is no drift. */
function verdictLine(drift: ShownPlan): string | null {
  const { severity, sentence } = verdictAsJson(drift, true)
  return severity === 'none' ? null : sentence
}

/** A failure with the issue is a warning, and does not change the result of the drift. */
async function keepDriftIssue(
  to: ForgeName | 'auto',
  drift: ShownPlan,
  { project }: ReadProject,
  options: IssueOptions,
  console: Console,
): Promise<VerdictChange> {
  let changed: VerdictChange
  await isPosted('warning', console, async () => {
    const forge = forgeOf(to, env)
    const nowMs = Date.now()
    const differences = fingerprintsOf(drift.changes, project.target.svcIds, sha256)
    const held = new Map(undeclaredIn(drift).map((entry) => [entry, accessFingerprint(entry, sha256)]))
    const found = {
      target: drift.target.name,
      fingerprints: [...differences.map(({ fingerprint }) => fingerprint), ...held.values()],
      ends: endingSoon(drift).filter(({ event }) => event === 'ends').length,
      selection: { only: drift.only, access: options.access === true },
      isComplete: isComplete(drift),
      nowMs,
    }
    const { people, teams } = ownersOf(placesIn(drift), project.dir, forge.codeOwners)
    const decide = decideIssue(found, {
      assignees: people,
      unowned: teams.length === 0 ? 'svcsync-unowned' : undefined,
      verdict: verdictLine(drift),
      found: (since, maxLength) =>
        renderDriftIssue(drift, {
          ...{ differences, since, maxLength, teams, ways: { options: optionsOfPlan(options) } },
          heldSince: (entry) => since(held.get(entry) ?? ''),
          today: new Date(nowMs).toISOString().slice(0, 10),
          link: linkFrom(env, cwd()),
        }),
    })
    const issues = forge.issues(env, driftLabel)
    try {
      let before: string | undefined
      const kept = await keepItem(issues, {
        ...{ code: 'SVC2822', isOurs: isIssueOf(found.target) },
        decide: (item) => {
          before = verdictIn(item, found.target)
          return decide(item)
        },
      })
      console.note(describeKeepResult(issues.what, kept))
      const isChanged = kept.became !== 'left' && (before ?? null) !== verdictLine(drift)
      if (isChanged) changed = { before: before ?? null, issue: kept.item ?? null }
    } finally {
      issues.close?.()
    }
  })
  return changed
}

/** Unread objects may have drifted. */
const isComplete = ({ unreadable, accessDrift }: ShownPlan): boolean =>
  unreadable.length + (accessDrift?.unread.length ?? 0) === 0

function placesIn(drift: ShownPlan) {
  const differences = drift.changes.flatMap((change) => [change.place, ...change.differences.map(({ place }) => place)])
  return [...differences, ...endingSoon(drift).map(({ place }) => place)].flatMap((each) => each ?? [])
}

/** GitHub reads no larger one. */
const mostMegabytes = 3

/** `files`: where the forge looks for it. A file that cannot be read names nobody. */
function ownersOf(places: readonly Place[], folder: string, files: readonly string[]) {
  const root = repositoryOf(folder)
  const file = root === undefined ? undefined : files.map((each) => join(root, each)).find((each) => existsSync(each))
  const text = file === undefined ? '' : readBoundedText(file, mostMegabytes)
  if (root === undefined || isUnread(text)) return { people: [], teams: [] }
  const owners = codeOwners(text)
  const paths = new Set(places.map((place) => relative(root, resolve(cwd(), place.file)).split(sep).join('/')))
  const all = [...new Set([...paths].flatMap(owners))]
  return { people: all.filter((each) => !isTeam(each)), teams: all.filter(isTeam) }
}
