// The findings of a validation, as shown in a terminal.

import { groupBy } from '@svcsync/core/model/group-by.ts'
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import { formatNeeds } from '@svcsync/render/problems/problem-sentences.ts'
import { byCount, formatCount } from '@svcsync/render/text/counts.ts'
import type { TextForm } from '@svcsync/render/text/line.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'
import { hasErrors } from '@svcsync/runs/open/open-project.ts'
import type { Validation } from '@svcsync/runs/open/validate-run.ts'

export async function validationText(validation: Validation, form: TextForm): Promise<string> {
  const { problems, sources } = validation
  // Without problems, nobody waits for the code that shows them.
  const loaded = problems.length > 0 ? await import('../../terminal/problems-text.ts') : undefined
  const shown = loaded?.problemsText(problems, validation.sources, form) ?? ''
  return hasErrors(problems) ? shown : `${shown}${verdict(validation, sources.size)}`
}

function verdict({ targets, complete }: Validation, files: number): string {
  const objects = Math.max(0, ...targets.map((target) => target.objects))
  const are = byCount(objects, 'is', 'are')
  const what = `${formatCount(objects, 'object')} in ${formatCount(files, 'file')} ${are} valid`
  // A project with one target need not be told its name.
  if (complete && targets.length === 1) return `${what}.`
  const names = enumerateFew(targets.map(({ name }) => neutralise(name)))
  return `${what} for the ${byCount(targets.length, 'target', 'targets')} ${names}.`
}

/** Nobody reads the names of three hundred targets. */
function enumerateFew(names: readonly string[]): string {
  const most = 20
  return enumerate(names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names)
}

/** Unset variables: a line for each target; and those of applies alone, a line for all targets with the same. */
export function notSetLines({ targets, complete }: Pick<Validation, 'targets' | 'complete'>): string[] {
  const lines = targets.flatMap(({ name, notSet }): string[] => {
    const what = notSet.map((each) => `\`${each}\``)
    const those = byCount(notSet.length, 'which is not set and was', 'which are not set and were')
    const asks =
      `The target ${name} needs ${enumerate(what)}, ${those} not checked. ` +
      `\`validate --target ${name}\` checks them.`
    return notSet.length > 0 ? [asks] : []
  })
  const alike = groupBy(targets, ({ needs }) => JSON.stringify(needs))
  const needed = [...alike.values()].flatMap(([first, ...others]): string[] => {
    const names = [first, ...others].flatMap((each) => each?.name ?? [])
    const who = byCount(names.length, `The target ${names[0]} needs`, `The targets ${enumerateFew(names)} need`)
    const says = formatNeeds(first?.needs, complete && targets.length === 1 ? undefined : who)
    return says === '' ? [] : [says]
  })
  return [...lines, ...needed]
}
