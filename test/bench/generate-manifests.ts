// Manifests of 100,000 objects a time, always the same: people, groups with members, constants with environments,
// privileges.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How many of each a file holds. */
interface Counts {
  readonly users: number
  readonly groups: number
  readonly constants: number
  readonly processes: number
  readonly processConstants: number
}

export interface Written {
  readonly files: number
  readonly objects: number
  readonly bytes: number
}

const small: Counts = { users: 300, groups: 60, constants: 60, processes: 50, processConstants: 30 }
const processesPerApplication = 100

/** 200 files of 500 objects. */
export function writeLargeManifests(folder: string): Written {
  return write(folder, 200, small, manifestOf)
}

/** Files of 100,000 objects: with sets, and with references to what `hugeVariables` gives. */
export function writeHugeManifests(folder: string, files: number): Written {
  const counts = Object.fromEntries(Object.entries(small).map(([what, count]) => [what, count * 200]))
  return write(folder, files, counts as unknown as Counts, hugeManifestOf)
}

export const hugeVariables: Readonly<Record<string, string>> = { erp: 'erp.example.com', test: 'test.example.com' }

function write(
  folder: string,
  files: number,
  counts: Counts,
  textOf: (file: number, counts: Counts) => string,
): Written {
  let bytes = 0
  for (let file = 0; file < files; file++) {
    const text = textOf(file, counts)
    bytes += Buffer.byteLength(text)
    writeFileSync(join(folder, `part-${String(file).padStart(3, '0')}.yaml`), text)
  }
  return { files, objects: files * Object.values(counts).reduce((sum, count) => sum + count, 0), bytes }
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

function manifestOf(file: number, counts: Counts): string {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => file * count + index)
  const groups = numbers(counts.groups)
  return [
    'database: main\n\nusers:\n',
    ...numbers(counts.users).map(userLine),
    '\ngroups:\n',
    ...groups.map((group) => groupLines(group, file, counts)),
    '\nconstants:\n',
    ...numbers(counts.constants).map(constantLines),
    '\nprocesses:\n',
    ...numbers(counts.processes).map((process, index) => processLines(process, index, groups, counts)),
  ].join('')
}

/** Every tenth group has a set among its members, and addresses of constants come from variables. */
function hugeManifestOf(file: number, counts: Counts): string {
  const sets = Array.from({ length: setsPerFile }, (_, set) => {
    const members = Array.from({ length: 20 }, (_, index) => svcIdOf(file * counts.users + set * 20 + index))
    return `  ${setName(file, set)}: [${members.join(', ')}]\n`
  })
  const text = manifestOf(file, counts)
    .replaceAll(/common: https:\/\/erp\.example\.com/g, 'common: https://${var:erp}')
    .replaceAll(/test: https:\/\/test\.example\.com(\S*)/g, 'test: "https://${var:test}$1"')
    .replaceAll(
      /(svcId: team-(\d+)0@.*\n.*\n {4}members: \[)/g,
      (line, _, group: string) => `${line}{ set: ${setName(file, Number(group) % setsPerFile)} }, `,
    )
  return `sets:\n${sets.join('')}\n${text}`
}

const setsPerFile = 200
const setName = (file: number, set: number): string => `team-${file}-${set}`

function groupLines(group: number, file: number, { users }: Counts): string {
  const member = (index: number): string => svcIdOf(file * users + ((group * 7 + index * 13) % users))
  const members = Array.from({ length: 1 + (group % 5) }, (_, index) => member(index))
  const owners = group % 4 === 0 ? `    owners: [${member(0)}]\n` : ''
  return (
    `  - svcId: team-${group}@example.com\n    name: Team ${group}\n` +
    `    members: [${members.join(', ')}]\n${owners}`
  )
}

function constantLines(constant: number): string {
  const head = `  - name: Address${constant}\n    common: https://erp.example.com/${constant}\n`
  return constant % 3 === 0 ? `${head}    test: https://test.example.com/${constant}\n    prod: null\n` : head
}

function processLines(process: number, index: number, groups: readonly number[], counts: Counts): string {
  const team = (offset: number): string => `team-${groups[(index + offset) % groups.length]}@example.com`
  const application = Math.floor(process / processesPerApplication)
  const constants =
    index < counts.processConstants ? `    constants:\n      - { name: Limit, common: "${process}" }\n` : ''
  return `  - process: Process ${process}
    application: Application ${application}
${constants}    privileges:
      Modify: [${team(0)}]
      ReadOnly: [${team(1)}, ${team(2)}]
`
}
