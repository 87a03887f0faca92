// An installation of any size from a seed, and manifests that say the same: people, groups in groups, levels on
// processes.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One of scale 1: `share` of each. */
const whole = { users: 100_000, groups: 20_000, memberships: 300_000, privileges: 50_000, processes: 5000 }
const processesPerApplication = 50
const objectsPerFile = 5000
const levels = ['Start', 'Modify', 'ReadOnly', 'Administrator'] as const

interface Group {
  readonly svcId: string
  readonly name: string
  readonly members: readonly string[]
}

interface Process {
  readonly application: string
  readonly name: string
  readonly privileges: readonly { readonly svcId: string; readonly level: string }[]
}

interface Installation {
  readonly users: readonly { readonly svcId: string; readonly name: string; readonly email: string }[]
  readonly groups: readonly Group[]
  readonly processes: readonly Process[]
}

/** The same for the same seed. */
export function makeInstallation(share: number, seed: number): Installation {
  const next = randomFrom(seed)
  const size = (count: number): number => Math.max(1, Math.round(count * share))
  const users = range(size(whole.users)).map((at) => {
    const svcId = `person.${at}@example.com`
    return { svcId, name: `Person ${at}`, email: svcId }
  })
  const groupIds = range(size(whole.groups)).map((at) => `team-${at}@example.com`)
  const inside = groupIds.map(() => new Set<string>())
  // Every fifth team is in one above it.
  groupIds.forEach((svcId, at) => {
    if (at >= 10 && next(5) === 0) inside[Math.floor(at / 10)]?.add(svcId)
  })
  let left = size(whole.memberships) - inside.reduce((sum, { size }) => sum + size, 0)
  for (let at = 0; left > 0; at = (at + 1) % inside.length) {
    const { svcId = '' } = users[next(users.length)] ?? {}
    if (inside[at]?.has(svcId)) continue
    inside[at]?.add(svcId)
    left--
  }
  const groups = groupIds.map((svcId, at) => ({ svcId, name: `Team ${at}`, members: [...(inside[at] ?? [])] }))
  const count = size(whole.processes)
  const each = Math.round(size(whole.privileges) / count)
  const processes = range(count).map((at): Process => {
    const holders = new Set<string>()
    while (holders.size < Math.min(each, groups.length)) {
      // Nine of ten levels are a group's.
      const from = next(10) === 0 ? users : groups
      holders.add(from[next(from.length)]?.svcId ?? '')
    }
    const privileges = [...holders].map((svcId, index) => ({ svcId, level: levels[index % levels.length] ?? '' }))
    return { application: `Application ${Math.floor(at / processesPerApplication)}`, name: `Process ${at}`, privileges }
  })
  return { users, groups, processes }
}

/** As the emulator takes it. */
export function tenantOf({ users, groups, processes }: Installation): object {
  const applications = [...new Set(processes.map(({ application }) => application))].map((name) => ({
    name,
    processes: processes
      .filter(({ application }) => application === name)
      .map(({ name, privileges }) => ({ name, privileges })),
  }))
  return { users, groups, databases: [{ id: 1, applications }] }
}

/** Into a folder that is there. */
export function writeManifests(folder: string, { users, groups, processes }: Installation): void {
  writeParts(folder, 'users', users, ({ svcId, name, email }) => `{ svcId: ${svcId}, name: ${name}, email: ${email} }`)
  writeParts(
    folder,
    'groups',
    groups,
    ({ svcId, name, members }) => `{ svcId: ${svcId}, name: ${name}, members: [${members.join(', ')}] }`,
  )
  writeParts(folder, 'processes', processes, ({ application, name, privileges }) => {
    const held = levels.flatMap((level) => {
      const own = privileges.filter((each) => each.level === level).map(({ svcId }) => svcId)
      return own.length === 0 ? [] : `${level}: [${own.join(', ')}]`
    })
    return `{ process: ${name}, application: ${application}, privileges: { ${held.join(', ')} } }`
  })
}

function writeParts<Item>(
  folder: string,
  section: string,
  items: readonly Item[],
  lineOf: (item: Item) => string,
): void {
  for (let start = 0; start < items.length; start += objectsPerFile) {
    const lines = items.slice(start, start + objectsPerFile).map((item) => `  - ${lineOf(item)}\n`)
    const head = section === 'processes' ? 'database: main\n\n' : ''
    writeFileSync(join(folder, `${section}-${start / objectsPerFile}.yaml`), `${head}${section}:\n${lines.join('')}`)
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

/** Whole numbers below what is asked for (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
