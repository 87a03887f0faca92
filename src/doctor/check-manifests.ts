// Reports mistakes in the project file or the manifests as a check, and the checks that they leave open.
import { cutLines } from '@svcsync/core/model/near-misses.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { byCount, formatCount, formatPlace, type Problem } from '@svcsync/errors/index.ts'
import { check, notChecked } from './make-check.ts'

/** More of them are for `validate` to tell. */
const shown = 10

/** Commands to be copied, with the options of this run: `svcsync plan --target prod`. */
interface NextCommands {
  readonly plan: string
  readonly validate: string
}

/** `fine`: what to say where there is nothing wrong. */
export function checkManifests(
  name: 'project' | 'manifests',
  problems: readonly Problem[],
  fine: string,
  { plan, validate }: NextCommands = { plan: 'svcsync plan', validate: 'svcsync validate' },
): Check {
  if (problems.length === 0) return check(name, 'ok', fine)
  const errors = problems.filter(({ severity }) => severity === 'error')
  const isWrong = errors.length > 0
  const counted = isWrong ? errors : problems
  const what = isWrong ? 'error' : 'warning'
  return check(
    name,
    isWrong ? 'problem' : 'warning',
    `${counted.length} ${what}${byCount(counted.length, '', 's')}${name === 'project' ? ' in the project file' : ''}.`,
    {
      todo: `Run \`${name === 'project' ? plan : validate}\`: it shows each with its lines of the file.`,
      details: cutLines(counted.map(formatProblem), shown),
    },
  )
}

const setWhereApplied = 'Set it where svcsync applies. `svcsync doctor --for plan` does not ask.'

/** `own`: all else that is wrong. Needs of an apply alone hold up no other check. */
export function withNeeds(
  own: Check,
  needs: readonly string[],
  ofSecrets: readonly Problem[],
  purpose: 'plan' | 'apply' | undefined,
): Check {
  if (needs.length === 0 && ofSecrets.length === 0) return own
  const missing = `An apply needs ${needs.join(', ')}, which ${byCount(needs.length, 'is', 'are')} not here.`
  const found = needs.length === 0 ? 'An apply cannot read all that it needs.' : missing
  const told = { ...own, found: `${own.found} ${found}` }
  if (purpose === 'plan' || own.result === 'problem') return told
  const details = [...(own.details ?? []), ...ofSecrets.slice(0, shown).map(formatProblem)]
  return check('manifests', purpose === 'apply' ? 'problem' : 'warning', told.found, { todo: setWhereApplied, details })
}

function formatProblem({ code, message, place }: Problem): string {
  return `${place === undefined ? '' : `${formatPlace(place)} `}${code} ${message}`
}

/** These checks speak of all declarations if they pass or are skipped. */
const ofAllDeclared: readonly Check['check'][] = ['scopes-to-read', 'scopes-to-write', 'names', 'objects']

/** Files with errors may hide declarations. `understood`: the number of declared objects despite them. */
export function limitToUnderstood(checks: readonly Check[], problems: readonly Problem[], understood: number): Check[] {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const files = new Set(errors.map(({ place }) => place?.file)).size
  if (files === 0) return [...checks]
  const note =
    understood === 0
      ? 'svcsync could understand no declared object'
      : `svcsync read only the ${formatCount(understood, 'object')} that it understood`
  const because = `${note}: ${formatCount(files, 'manifest has', 'manifests have')} errors.`
  return checks.map((each) => {
    const { check: name, result } = each
    const saysAll = result === 'not-checked' || (result === 'ok' && name !== 'databases')
    return saysAll && [...ofAllDeclared, 'databases'].includes(name) ? notChecked(name, because) : each
  })
}
