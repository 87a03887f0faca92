// A name leads to one object or to none: two of a name, and lists that could not be read, are never guessed at.
import { expect, it } from 'vitest'
import { type FoundObject, isFound } from '../../src/core/model/directory.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Location } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { MetadataLists } from '../../src/live/metadata-lists.ts'
import { findCandidate, PlatformDirectory } from '../../src/live/platform-directory.ts'

type Answers = Readonly<Record<string, Json | Error>>
const kindsByName = new Map(kinds.map((kind) => [kind.name, kind]))
const failed = (status: number, path = '/db/1/applications') =>
  new PlatformError(failureCodes.serverFailed, `answered ${status}`, { kind: 'status', method: 'GET', path, status })
const named = (name: string, id: number, more: object = {}) => ({ id, guid: `G-${name}-${id}`, name, ...more })

/** Purchasing and Sales each have an Approval; Loans of Purchasing is lent to Sales. */
const usual: Answers = {
  '/db/1/applications': { applications: [named('Purchasing', 1), named('Sales', 2)] },
  '/db/1/applications/G-Purchasing-1/processes': {
    processes: [named('Approval', 3), named('Loans', 4), named('Twice', 7), named('Twice', 8), named('3', 9)],
  },
  '/db/1/applications/G-Sales-2/processes': {
    processes: [
      named('Approval', 5),
      named('Loans', 4, { isRelation: true }),
      named('Foreign', 6, { isRelation: true }),
    ],
  },
  '/db/1/processes/G-Loans-4/workflows': { workflows: [named('Main', 10)] },
  '/db/1/admin/businessentities': null,
  '/admin/db/1/businessentities': {
    businessEntities: [named('Poland', 1, { code: 'PL' }), named('Two', 2), named('Two', 3), named('PL', 4)],
  },
}

function directoryOf(answers: Answers) {
  const lists = new MetadataLists()
  const directory = new PlatformDirectory({ main: 1, other: 2 }, kinds, lists)
  const port = {
    authorise: async () => undefined,
    async send({ path, query }: { readonly path: string; readonly query?: Readonly<Record<string, string>> }) {
      const answer = answers[query?.url ?? path] ?? failed(404, path)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as PlatformPort
  /** Asks again and again, as an assembly does. */
  async function settled<Result extends object>(ask: () => Result): Promise<Result> {
    for (let rounds = 0; rounds < 9; rounds++) {
      const result = ask()
      const isPending = 'reason' in result && result.reason === 'pending'
      if (!(await lists.readWanted(port))) return result
      if (!isPending) expect(ask()).toEqual(result)
    }
    throw new TypeError('it never settles')
  }
  const find = (kind: string, ref: string, container?: FoundObject, at: Location = container?.at ?? { dbId: 1 }) =>
    settled(() => directory.find(kind, ref, container, at))
  return { directory, find, company: (ref: string) => settled(() => directory.company(1, ref)) }
}

const addressOf = (result: object) => ('address' in result ? result.address : result)

it.each([
  ['application', 'Purchasing', 'application/main/Purchasing'],
  ['application', 'g-purchasing-1', 'application/main/Purchasing'],
  ['application', '2', 'application/main/Sales'],
  [
    'process',
    'Twice',
    { reason: 'ambiguous', candidates: ['G-Twice-7', 'G-Twice-8'], within: ['Purchasing', 'Purchasing'] },
  ],
  [
    'process',
    'Approval',
    { reason: 'ambiguous', candidates: ['G-Approval-3', 'G-Approval-5'], within: ['Purchasing', 'Sales'] },
  ],
  ['process', 'G-Twice-7', 'process/main/Purchasing/G-Twice-7'],
  ['process', 'G-Approval-5', 'process/main/Sales/Approval'],
  // By name first: a process may be called like the id of another one.
  ['process', '3', 'process/main/Purchasing/3'],
  ['process', '5', 'process/main/Sales/Approval'],
  // A shared object is found at home; or where it is shared, if its home is unknown.
  ['process', 'Loans', 'process/main/Purchasing/Loans'],
  ['process', 'Foreign', 'process/main/Sales/Foreign'],
  ['application', 'Stock', { reason: 'unknown', candidates: ['Purchasing', 'Sales'] }],
  ['constant', 'Url', { reason: 'unknown', candidates: [] }],
  ['nothing', 'Url', { reason: 'unknown', candidates: [] }],
])('finds the %s %s', async (kind, ref, expected) => {
  expect(addressOf(await directoryOf(usual).find(kind, ref))).toEqual(expected)
})

it('finds in a container what it has, with the ids of all that it is in', async () => {
  const { find } = directoryOf(usual)
  const sales = (await find('application', 'Sales')) as FoundObject
  expect(await find('process', 'Approval', sales)).toEqual({
    address: 'process/main/Sales/Approval',
    at: { dbId: 1, application: 'G-Sales-2', process: 'G-Approval-5', name: 'Approval' },
    guid: 'G-Approval-5',
  })
  const elsewhere = await find('process', 'Approval', { ...sales, at: { ...sales.at } }, { dbId: 1 })
  expect(elsewhere).toMatchObject({ at: { application: 'G-Sales-2' } })
  expect(await find('process', 'Twice', sales)).toEqual({
    ...{ reason: 'unknown', candidates: ['Approval', 'Loans', 'Foreign'] },
  })
  expect(addressOf(await find('process', 'Loans', sales))).toBe('process/main/Purchasing/Loans')
  const loans = (await find('process', 'Loans')) as FoundObject
  expect(addressOf(await find('workflow', 'Main', loans))).toBe('process/main/Purchasing/Loans/workflow/Main')
})

it('believes a name only where it could look everywhere, and a guid where it found it', async () => {
  const answers = { ...usual, '/db/1/applications/G-Sales-2/processes': failed(403) }
  const { find } = directoryOf(answers)
  const unread = { reason: 'unreadable', why: { code: failureCodes.serverFailed, reason: 'answered 403' } }
  expect(await find('process', 'Loans')).toMatchObject(unread)
  expect(await find('process', 'Nowhere')).toMatchObject(unread)
  expect(addressOf(await find('process', 'G-Loans-4'))).toBe('process/main/Purchasing/Loans')
  const first = { ...usual, '/db/1/applications/G-Purchasing-1/processes': failed(403) }
  expect(addressOf(await directoryOf(first).find('process', 'G-Loans-4'))).toBe('process/main/Sales/Loans')
})

it('says that a database may not be there where its list is not, and nothing of the kind otherwise', async () => {
  const missing = await directoryOf({}).find('application', 'Sales')
  expect(missing).toMatchObject({ why: { hint: expect.stringContaining('has a database 1') } })
  const refused = await directoryOf({ '/db/1/applications': failed(403) }).find('process', 'Loans')
  expect(refused).toMatchObject({ reason: 'unreadable', why: { hint: undefined } })
})

it('finds business entities by code, name, guid and id', async () => {
  const { company } = directoryOf(usual)
  expect(await company('g-poland-1')).toEqual({ guid: 'G-Poland-1', name: 'PL', id: 1 })
  expect(await company('Poland')).toMatchObject({ guid: 'G-Poland-1' })
  expect(await company('2')).toMatchObject({ guid: 'G-Two-2', name: 'Two' })
  expect(await company('PL')).toEqual({ reason: 'ambiguous', candidates: ['G-Poland-1', 'G-PL-4'] })
  expect(await company('Two')).toEqual({ reason: 'ambiguous', candidates: ['G-Two-2', 'G-Two-3'] })
  expect(await company('DE')).toEqual({ reason: 'unknown', candidates: ['PL', 'Poland', 'Two', 'Two', 'PL'] })
  expect(await directoryOf({}).company('DE')).toMatchObject({ reason: 'unreadable' })
})

const url = 'https://svc.example.com/db/1/app/1/element/7'
it.each([
  ['7', {}, 'element/main/7'],
  [url, { [url]: { mode: 'Element', dbId: 1, element: { id: 7 } } }, 'element/main/7'],
  [url, { [url]: { mode: 'Element', dbId: 2, element: { id: 7 } } }, / database other, and is declared in main$/],
  [url, { [url]: { mode: 'Element', dbId: 3, element: { id: 7 } } }, / database 3, and is declared in main$/],
  [url, { [url]: { mode: 'Dashboard' } }, /knows no element at/],
  [url, {}, /knows no element at/],
  [url, { [url]: failed(403) }, 'unreadable'],
  [url, { [url]: { mode: 'Element', dbId: 1, element: {} } }, 'unreadable'],
  ['somewhere', {}, 'pending'],
] as const)('finds the element %s, where its page tells %j', async (ref, answers, expected) => {
  const result = await directoryOf(answers as Answers).find('element', ref)
  if (expected instanceof RegExp) expect(result).toMatchObject({ detail: { message: expect.stringMatching(expected) } })
  else expect(isFound(result) ? result.address : 'reason' in result && result.reason).toBe(expected)
})

it('names a candidate by what leads to it alone: its name, else its guid', async () => {
  const { directory, find } = directoryOf(usual)
  const process = kindsByName.get('process') as NonNullable<ReturnType<typeof kindsByName.get>>
  await find('process', 'Nowhere')
  const identityOf = (name: string, id: number) =>
    findCandidate(directory, process, { id, guid: `G-${name}-${id}`, name }, undefined, { dbId: 1 })?.identity
  expect(identityOf('Loans', 4)).toBe('Loans')
  expect(identityOf('Twice', 8)).toBe('G-Twice-8')
  expect(identityOf('Gone', 99)).toBeUndefined()
})
