// Which licences and substitutions there are, as texts to compare: told without any code of svcsync.
import type { Tenant } from '../../src/emulator/index.ts'
import type { HeldLicense } from '../../src/emulator/tenant/tenant-shape.ts'
import { type Fields, nothing, type Substitution, tenantOf } from './world.ts'

/** The identity of a substitution. */
export const keyOf = ({ person, substitute, type, from }: Fields): string => [person, substitute, type, from].join(' ')

/** Of each what it is known by, to the moment, `until` when, and the applications that it is limited to. */
export function substitutionsIn({ substitutions = [] }: Tenant): string[] {
  return substitutions.map(({ originalPerson, substitutePerson, type, startDate, endDate, activeApplications }) => {
    const limits = activeApplications?.applications?.map(({ name }) => name)
    const [from, to] = [startDate, endDate].map((moment) => new Date(moment).toISOString())
    return (
      `${keyOf({ person: originalPerson.svcId, substitute: substitutePerson.svcId, type, from })} ` +
      `until ${to} ${limits}`
    )
  })
}

export const told = (substitutions: readonly Substitution[], offset: string) =>
  substitutionsIn(tenantOf({ ...nothing, substitutions }, offset))

/** By svcId: each licence, with its settings; and each process of it. */
export function licensesIn({ licenses }: Pick<Tenant, 'licenses'>): ReadonlyMap<unknown, readonly string[]> {
  const settled = (each: HeldLicense): string[] => {
    const { type, designerDeskSettings: desk, singleSolutionSettings: limits } = each
    const processes = limits?.processes ?? []
    return [`${type} ${JSON.stringify(desk ?? '')}`, ...processes.map(({ name }) => `${type} in ${String(name)}`)]
  }
  return new Map(
    licenses?.assigned?.map((each) => [each.svcId, (each.licenses as HeldLicense[]).flatMap(settled).sort()]),
  )
}

/** Of a text of `substitutionsIn`. */
export const hasEnded = (text: string, nowMs: number): boolean =>
  Date.parse(/ until (\S+)/.exec(text)?.[1] ?? '') < nowMs
