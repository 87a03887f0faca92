// Checks an account's access in the platform's own state.
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import type { Tenant } from '../../src/emulator/index.ts'

export interface Held {
  readonly svcId: string
  readonly level: string
  readonly company?: string
}

export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** True if the platform gives it: a walk from the account through every group, without svcsync. */
export function holds(tenant: Tenant, { subject, level, address, company, kind }: AccessEntry): boolean {
  const groups = (tenant.groups ?? []) as readonly { svcId: string; members?: string[]; owners?: string[] }[]
  const selves = new Set([String(subject).toLowerCase()])
  for (const self of selves) {
    for (const group of groups) {
      if (group.members?.some((member) => same(member, self))) selves.add(group.svcId.toLowerCase())
    }
  }
  if (kind === 'owner') {
    const owned = groups.find(({ svcId }) => same(`group/${svcId}`, address))
    return owned?.owners?.some((owner) => selves.has(owner.toLowerCase())) ?? false
  }
  const [database] = tenant.databases as unknown as [
    { applications: readonly Record<string, unknown>[]; businessEntities: Record<string, unknown>[] },
  ]
  const namesOf = (code: string) =>
    Object.values(database.businessEntities.find((each) => each.code === code) ?? {}).map(String)
  const [application] = database.applications as unknown as [
    { privileges: Held[]; processes: Record<string, unknown>[] },
  ]
  const [process] = application.processes as unknown as [
    { privileges: Held[]; elements: { privileges: Held[] }[]; workflows: { privileges: Record<string, Held[]> }[] },
  ]
  const list: readonly Held[] = address.startsWith('application/')
    ? application.privileges
    : address.startsWith('element/')
      ? // Of what it has from its process no company is told.
        [...(process.elements[0]?.privileges ?? []), ...process.privileges.map(({ company: _, ...held }) => held)]
      : address.endsWith('/P')
        ? process.privileges
        : (Object.values(process.workflows[0]?.privileges ?? {})[0] ?? [])
  return list.some(
    (held) =>
      selves.has(held.svcId.toLowerCase()) &&
      held.level === level &&
      (held.company === undefined || (company !== null && namesOf(company).includes(held.company))),
  )
}
