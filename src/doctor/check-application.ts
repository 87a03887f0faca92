// As whom svcsync signs in, and whether that can administer anything. Source: reference, application types and /me.

import { isJsonObject, type Json } from '../core/model/json.ts'
import type { Check } from '../core/plan/doctor-report.ts'
import { check } from './make-check.ts'

interface Profile {
  readonly svcId: string
  readonly name: string
  /** The application that acts for a person; empty: it acts as itself. */
  readonly actsFor: string
  readonly isImpersonated: boolean
}

function readProfile(answer: Json | undefined): Profile {
  const { svcId, name, impersonatingApplication, impersonated } = isJsonObject(answer) ? answer : {}
  const told = (value: unknown): string => (typeof value === 'string' ? value : '')
  const actsFor = told(impersonatingApplication)
  return { svcId: told(svcId), name: told(name), actsFor, isImpersonated: impersonated === true || actsFor !== '' }
}

export function checkApplication(answer: Json | undefined): Check {
  const { svcId, name, actsFor, isImpersonated } = readProfile(answer)
  const own = name === '' || name === svcId ? svcId : svcId === '' ? name : `${name} (${svcId})`
  if (isImpersonated) {
    const application = actsFor === '' ? 'The application' : `The application ${actsFor}`
    return check('application', 'problem', `${application} acts in the name of ${own === '' ? 'a person' : own}.`, {
      todo: 'Take the impersonation out of the application, and give it the context App: administrative writes are refused in the name of a person.',
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
