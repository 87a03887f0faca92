// Whether the installation is the one that the target expects, and the lines of the project file that would pin this one.
import type { Check } from '../core/plan/doctor-report.ts'
import { check } from './make-check.ts'

/** By what an installation can be known. */
export interface InstallationSeen {
  /** Empty: the platform does not say. */
  readonly signsInAs: string
  /** Name of a database → some of the applications there. */
  readonly applications: Readonly<Record<string, readonly string[]>>
}

/** `differences`: undefined where the target expects nothing. */
export function checkInstallation(differences: readonly string[] | undefined, seen: InstallationSeen): Check {
  const copy = expectLines(seen)
  if (differences === undefined) {
    if (copy.length === 0) return check('installation', 'not-checked', 'The target says nothing of it.')
    return check('installation', 'not-checked', 'The target does not say which one it expects.', {
      todo: 'Copy these lines into the target. Keep the applications that this installation alone has, and add the accounts of the other API applications that are used with it.',
      copy,
    })
  }
  if (differences.length === 0) return check('installation', 'ok', 'It is the one that the target expects.')
  return check('installation', 'problem', 'It is another one than the target expects.', {
    code: 'SVC2153',
    todo: 'Check `baseUrl`, `clientId` and `databases` of the target. Where they are right, this is what the installation is known by:',
    details: differences,
    copy,
  })
}

/** Texts are quoted as in JSON, which is YAML as well: names may hold anything. */
function expectLines({ signsInAs, applications }: InstallationSeen): string[] {
  const list = (names: readonly string[]): string => `[${names.map((name) => JSON.stringify(name)).join(', ')}]`
  const databases = Object.entries(applications).filter(([, names]) => names.length > 0)
  const lines = [
    ...(signsInAs === '' ? [] : [`    signsInAs: ${list([signsInAs])}`]),
    ...(databases.length === 0 ? [] : ['    applications:']),
    ...databases.map(([name, names]) => `      ${JSON.stringify(name)}: ${list(names)}`),
  ]
  return lines.length === 0 ? [] : ['expect:', '  installation:', ...lines]
}
