// As whom svcsync signs in, and whether the installation is the expected one. Source: application types, /me.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { inlineText, yamlText } from '@svcsync/core/model/yaml-text.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { check, notChecked } from './make-check.ts'

/** By what an installation can be known. */
interface InstallationSigns {
  /** Empty: the platform does not say. */
  readonly signsInAs: string
  /** Name of a database → some of the applications there. */
  readonly applications: Readonly<Record<string, readonly string[]>>
}

/** `differences`: undefined where the target expects nothing. */
export function checkInstallation(differences: readonly string[] | undefined, seen: InstallationSigns): Check {
  const copy = expectLines(seen)
  if (differences === undefined) {
    if (copy.length === 0) return check('installation', 'not-checked', 'The target says nothing of it.')
    return check('installation', 'not-checked', 'The target does not say which one it expects.', {
      todo:
        'Copy these lines into the target. Remove applications that other installations have, too, ' +
        'and add the accounts of your other API applications.',
      copy,
    })
  }
  if (differences.length === 0) return check('installation', 'ok', 'It is the installation that the target expects.')
  return check('installation', 'problem', 'The target expects another installation.', {
    code: 'SVC2153',
    todo:
      'Check `baseUrl`, `clientId` and `databases` of the target. ' +
      'If they are right, these lines identify the installation:',
    details: differences,
    copy,
  })
}

/** After another failed check this may be the wrong installation, and nobody should pin it. */
export function withoutCopyLines(each: Check): Check {
  if (each.copy === undefined || each.check !== 'installation') return each
  const { check: name, result, found, code, details } = each
  const correct = code === undefined ? '' : ' Check `baseUrl`, `clientId` and `databases` of the target.'
  const todo = `Solve the other problems first: doctor prints the lines of \`expect\` when there are none.${correct}`
  return check(name, result, found, { code, todo, details })
}

/** Names may hold anything. */
function expectLines({ signsInAs, applications }: InstallationSigns): string[] {
  const list = (names: readonly string[]): string => `[${names.map(yamlText).join(', ')}]`
  const databases = Object.entries(applications).filter(([, names]) => names.length > 0)
  const lines = [
    ...(signsInAs === '' ? [] : [`    signsInAs: ${list([signsInAs])}`]),
    ...(databases.length === 0 ? [] : ['    applications:']),
    ...databases.map(([name, names]) => `      ${inlineText(name)}: ${list(names)}`),
  ]
  return lines.length === 0 ? [] : ['expect:', '  installation:', ...lines]
}

export function checkApplication(answer: Json | undefined): Check {
  const profile = isJsonObject(answer) ? answer : {}
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
  const [svcId, name, actsFor] = [profile.svcId, profile.name, profile.impersonatingApplication].map(textOf) as [
    string,
    string,
    string,
  ]
  const own = name === '' || name === svcId ? svcId : svcId === '' ? name : `${name} (${svcId})`
  // The application that acts for a person.
  if (profile.impersonated === true || actsFor !== '') {
    const application = actsFor === '' ? 'The application' : `The application ${actsFor}`
    return check('application', 'problem', `${application} acts in the name of ${own === '' ? 'a person' : own}.`, {
      todo:
        'Take the impersonation out of the application, and give it the context App: ' +
        'administrative writes are refused in the name of a person.',
    })
  }
  if (own === '') {
    return check('application', 'warning', 'The platform does not say as whom svcsync signs in.', {
      todo: 'Use `apply --expect` in place of saved plans, which are held to the application that made them.',
    })
  }
  const guard = svcId === '' ? ' It is no account, and can hold no privileges.' : ''
  return check('application', 'ok', `svcsync signs in as ${own}, in the context of the application.${guard}`)
}

interface CaseProbe {
  readonly asked: string
  /** An account was read under its svcId in the other case. */
  readonly isFound: boolean
}

export function checkSvcIdCase(seen: CaseProbe | undefined, target: 'ignore-case' | 'case-sensitive'): Check {
  if (seen === undefined)
    return notChecked('svcid-case', 'The lists have no user or group whose svcId could be read in another case.')
  const exact = target === 'case-sensitive'
  const found = seen.isFound ? 'the account that is listed' : 'not found, and is listed'
  const how = `\`${seen.asked}\` is ${found} in other letters`
  if (seen.isFound && exact) {
    return check(
      'svcid-case',
      'warning',
      `The platform takes svcIds in any case, and the target says \`svcIdCase: exact\`: ${how}.`,
      {
        todo: 'Take `svcIdCase` out of the target, or one account may be declared twice.',
      },
    )
  }
  if (!seen.isFound && !exact) {
    return check('svcid-case', 'warning', `The platform tells svcIds apart by case, and the target does not: ${how}.`, {
      todo: 'Write `svcIdCase: exact` into the target: otherwise svcsync merges different accounts.',
    })
  }
  return check('svcid-case', 'ok', `Target and platform treat the case of svcIds alike: ${how}.`)
}
