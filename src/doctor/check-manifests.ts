// What is wrong with the project file or the manifests, as a check.
import type { Check } from '../core/plan/doctor-report.ts'
import { formatPlace, type Problem } from '../errors/index.ts'
import { check } from './make-check.ts'

/** More of them are for `validate` to tell. */
const shown = 10

/** `fine`: what to say where there is nothing wrong. */
export function checkManifests(name: 'project' | 'manifests', problems: readonly Problem[], fine: string): Check {
  if (problems.length === 0) return check(name, 'ok', fine)
  const errors = problems.filter(({ severity }) => severity === 'error')
  const isWrong = errors.length > 0
  const told = isWrong ? errors : problems
  const lines = told.slice(0, shown).map(line)
  const rest = told.length - lines.length
  const what = isWrong ? 'error' : 'warning'
  return check(
    name,
    isWrong ? 'problem' : 'warning',
    `${told.length} ${what}${told.length === 1 ? '' : 's'}${name === 'project' ? ' in the project file' : ''}.`,
    {
      todo: `Run \`svcsync ${name === 'project' ? 'plan' : 'validate'}\`: it shows each with its lines of the file.`,
      details: rest > 0 ? [...lines, `and ${rest} more`] : lines,
    },
  )
}

function line({ code, message, place }: Problem): string {
  return `${place === undefined ? '' : `${formatPlace(place)} `}${code} ${message}`
}
