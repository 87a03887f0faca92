// `svcsync access accept`: undeclared access becomes exceptions, which end.
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { acceptedText } from '@svcsync/render/report/access-list.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { safeJson } from '@svcsync/render/text/neutralise.ts'
import type { exceptionsEdit } from '@svcsync/runs/edit/except-run.ts'
import { withGlobalPrivileges } from '@svcsync/runs/open/with-policies.ts'
import { readForCommand, withPlan } from '../../planning/open-for-command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import { allowed } from '../../program/options.ts'
import type { Console } from '../../terminal/console.ts'
import type { AccessOptions } from '../review.ts'
import { accessMisuse, findAccess, refuseOtherOptions } from './access.ts'

const wanted = ['person', 'level', 'object', 'company', 'all'] as const

/** Turns findings of `drift --access` into exceptions with an end. Without a selection, it moves an access baseline. */
export async function acceptCommand(first: string | undefined, options: AccessOptions, console: Console) {
  refuseOtherOptions('accept', options)
  const { until, reason, person, level, object, company, format } = options
  if (first !== undefined) throw accessMisuse('accept', 'Name the person with --person, and the object with --object.')
  const isNothing = wanted.every((key) => options[key] === undefined)
  const shared = { ...options, only: [], format: 'text' as const }
  const { opened, global } = withGlobalPrivileges(readForCommand(shared, false))
  const { exceptionsEdit, writeExceptions } = await import('@svcsync/runs/edit/except-run.ts')
  if (isNothing && until === undefined && opened.exceptions.baseline !== undefined) {
    const edit = exceptionsEdit(opened, [])
    writeExceptions(opened, edit)
    await console.result(format === 'json' ? safeJson({ formatVersion: '1.0', file: edit.file }) : movedText(edit))
    return exitCodes.done
  }
  if (isNothing) throw accessMisuse('accept', 'It needs --person, --level, --object, or --all.')
  if (until === undefined || !reason?.trim()) throw accessMisuse('accept', 'It needs --until and --reason.')
  const { checkUntil, chooseUndeclared, refuseEnding } = await import('@svcsync/runs/access/choose-undeclared.ts')
  checkUntil(until, opened)
  const chosen = await withPlan(opened, shared, console, async (planned) => {
    const found = await findAccess(opened, planned, global, console)
    const some = chooseUndeclared(found, { person, level, object, company }, opened)
    refuseEnding(some, planned.plan.changes, { until, reason }, opened)
    return some
  })
  await refuseUnnamed(chosen, options)
  const terms = { target: opened.project.targetName, until, reason: reason.trim() }
  const edit = exceptionsEdit(
    opened,
    chosen.map((each) => ({
      ...{ person: String(each.subject), level: String(each.level), object: each.address },
      ...{ company: each.company ?? undefined, ...terms },
    })),
  )
  writeExceptions(opened, edit)
  const { file } = edit
  const text = acceptedText(chosen, file, until, console)
  const isJson = format === 'json'
  const moved = edit.moved === undefined ? text : `${text}\n${movedText(edit)}`
  await console.result(isJson ? safeJson({ formatVersion: '1.0', file, until, accepted: chosen }) : moved)
  return exitCodes.done
}

function movedText({ file, moved }: Pick<ReturnType<typeof exceptionsEdit>, 'file' | 'moved'>): string {
  if (moved === undefined) return ''
  return `${formatCount(moved.exceptions, 'exception')} moved from ${moved.file} to ${file}: commit both.`
}

async function refuseUnnamed(chosen: readonly AccessEntry[], options: AccessOptions): Promise<void> {
  const levels = new Set(kinds.flatMap(({ administeredBy }) => administeredBy?.level ?? []))
  const kept = chosen.filter(({ level }) => level !== null && levels.has(level)).map(({ subject }) => String(subject))
  if (kept.length === 0) return
  const { refuseAdministrators } = await import('../people/accept.ts')
  refuseAdministrators([...new Set(kept)].sort(), allowed(options, 'exception-administrator'))
}
