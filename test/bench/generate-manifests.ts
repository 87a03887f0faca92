// Manifests of 100,000 objects, the same each time: people, groups with members, constants with environments, privileges.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const files = 200
const perFile = { users: 300, groups: 60, constants: 60, processes: 50, processConstants: 30 } as const
const processesPerApplication = 100

/** 500 objects a file. */
export function writeLargeManifests(folder: string): { files: number; objects: number; bytes: number } {
  let bytes = 0
  for (let file = 0; file < files; file++) {
    const text = manifestOf(file)
    bytes += Buffer.byteLength(text)
    writeFileSync(join(folder, `part-${String(file).padStart(3, '0')}.yaml`), text)
  }
  const objects = files * Object.values(perFile).reduce((sum, count) => sum + count, 0)
  return { files, objects, bytes }
}

const firstNames = ['Anna', 'Bruno', 'Cleo', 'Dana', 'Egon', 'Fritz', 'Greta', 'Hugo', 'Ines', 'Jan', 'Karla', 'Leo']
const lastNames = ['Adler', 'Berg', 'Cerny', 'Dorn', 'Engel', 'Frank', 'Graf', 'Huber', 'Iven', 'Jansen', 'Kos']

function svcIdOf(user: number): string {
  return `${firstNames[user % 12]?.toLowerCase()}.${lastNames[user % 11]?.toLowerCase()}${user}@example.com`
}

/** One user, on a line of its own. */
export function userLine(user: number): string {
  const name = `${firstNames[user % 12]} ${lastNames[user % 11]} ${user}`
  // Every tenth has more to tell.
  const more = user % 10 === 0 ? `, jobTitle: Clerk, phoneNumber: "+48 600 ${100_000 + user}"` : ''
  return `  - { svcId: ${svcIdOf(user)}, name: ${name}, email: ${svcIdOf(user)}${more} }\n`
}

function manifestOf(file: number): string {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => file * count + index)
  const groups = numbers(perFile.groups)
  return [
    'database: main\n\nusers:\n',
    ...numbers(perFile.users).map(userLine),
    '\ngroups:\n',
    ...groups.map((group) => groupLines(group, file)),
    '\nconstants:\n',
    ...numbers(perFile.constants).map(constantLines),
    '\nprocesses:\n',
    ...numbers(perFile.processes).map((process, index) => processLines(process, index, groups)),
  ].join('')
}

function groupLines(group: number, file: number): string {
  const member = (index: number): string => svcIdOf(file * perFile.users + ((group * 7 + index * 13) % perFile.users))
  const members = Array.from({ length: 1 + (group % 5) }, (_, index) => member(index))
  const owners = group % 4 === 0 ? `    owners: [${member(0)}]\n` : ''
  return `  - svcId: team-${group}@example.com\n    name: Team ${group}\n    members: [${members.join(', ')}]\n${owners}`
}

function constantLines(constant: number): string {
  const head = `  - name: Address${constant}\n    common: https://erp.example.com/${constant}\n`
  return constant % 3 === 0 ? `${head}    test: https://test.example.com/${constant}\n    prod: null\n` : head
}

function processLines(process: number, index: number, groups: readonly number[]): string {
  const team = (offset: number): string => `team-${groups[(index + offset) % groups.length]}@example.com`
  const application = Math.floor(process / processesPerApplication)
  const constants =
    index < perFile.processConstants ? `    constants:\n      - { name: Limit, common: "${process}" }\n` : ''
  return `  - process: Process ${process}
    application: Application ${application}
${constants}    privileges:
      Modify: [${team(0)}]
      ReadOnly: [${team(1)}, ${team(2)}]
`
}
