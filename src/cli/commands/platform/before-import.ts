// `import --before`: which changes a plan from before the import did not have. Loaded for that alone.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { ChangeDocument, PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { OperatorError, RefusedError } from '@svcsync/errors/index.ts'
import type { Target } from '@svcsync/project/project.ts'
import { nouns } from '@svcsync/render/plan/unmanaged.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import { targetDifferences } from '@svcsync/runs/saved/check-saved-plan.ts'
import { parseApprovedPlan } from '@svcsync/runs/saved/plan-file.ts'
import { readSavedPlan } from '../../planning/plan-files.ts'

function readBefore(file: string): PlanDocument {
  try {
    return readSavedPlan(file, parseApprovedPlan)
  } catch (error) {
    // Nobody refuses anything here: what is named is the wrong file.
    if (error instanceof RefusedError) throw new OperatorError(error.code, error.message, { hint: error.hint })
    throw error
  }
}

/** Says what a plan has that `file` has not. Throws where `file` says nothing about what this target needs. */
export function readPlanBefore(file: string, target: Target, verbose: boolean): (plan: PlanDocument) => string {
  const before = readBefore(file)
  const unusable = (why: string) =>
    new OperatorError('SVC2188', `\`${file}\` is no plan to compare with: ${why}`, {
      hint: 'Make it by `svcsync plan --format json`, of all manifests and of this target, before the import.',
    })
  const [other] = targetDifferences(before, target, target)
  if (other !== undefined)
    throw unusable(`its ${other.path} is ${String(other.planned)}, and here ${String(other.found)}`)
  if (before.only.length > 0 || before.due !== undefined) throw unusable('it covers only a part of the manifests')
  const known = new Set(before.changes.map(({ digest }) => digest))
  const unread = new Set(before.unreadable.map(({ address }) => String(address)))
  return ({ changes }) => {
    const fresh = changes.filter(({ digest }) => !known.has(digest))
    const brought = fresh.filter(({ address }) => !unread.has(String(address)))
    const unsure = fresh.filter(({ address }) => unread.has(String(address)))
    const lines = (title: string, of: readonly ChangeDocument[]): string[] => {
      if (of.length === 0) return []
      const counts = [...groupBy(of, ({ kind }) => kind)].map(([kind, { length }]) => nouns(kind, length)).join(', ')
      if (!verbose) return [`${title}: ${counts}. Listed with --verbose.`]
      return [`${title}: ${counts}.`, ...of.map(({ address }) => `  ${neutralise(address)}`)]
    }
    const since = `not in ${neutralise(file)} of ${before.createdAt}`
    return [
      ...lines(`Brought by the import, or changed by somebody else since (${since})`, brought),
      ...(fresh.length > 0
        ? []
        : [`The import brought no change: each is in ${neutralise(file)} of ${before.createdAt}.`]),
      ...lines('Not readable before the import', unsure),
      ...(changes.length > fresh.length ? [`As before: ${formatCount(changes.length - fresh.length, 'change')}.`] : []),
    ].join('\n')
  }
}
