// Requests that several steps share: as many as fit, each object once, and one answer for all.
import { describe, expect, it } from 'vitest'
import { createSharedRequests } from '../../src/apply/shared-requests.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { PlatformRequest } from '../../src/core/model/platform-port.ts'
import type { Step } from '../../src/core/model/step.ts'
import { license } from '../../src/kinds/license/index.ts'

const normalise = normaliserOf('ignore-case')
const { licenses } = license.collections
const small = { ...license, collections: { licenses: { ...licenses, batch: 3 } } } as Kind

function step(id: string, person: string, count: number, verb: 'add' | 'remove' = 'add'): Step {
  const elements = Array.from({ length: count }, (_, index) => keyedElement({ item: `Type${index}` }, normalise))
  const where = { address: `license/${person}`, kind: 'license', at: { name: person, self: person } }
  return { id, verb, ...where, collection: 'licenses', elements, dependsOn: [] }
}

function sharingOf(answer: () => Promise<Json>, sending: (id: string) => Promise<void> = async () => undefined) {
  const requests: PlatformRequest[] = []
  const sharing = createSharedRequests({
    port: {
      ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
      send(request) {
        requests.push(request)
        return answer()
      },
    },
    kinds: new Map([['license', small]]),
    log: { sending: ({ id }: Step) => sending(id), answered: () => undefined } as never,
    selfOf: () => undefined,
    seenAt: () => ({ seen: undefined, before: undefined }),
  })
  return { sharing, requests }
}

describe('a shared request', () => {
  const { sharing } = sharingOf(async () => null)

  it('is for one collection and one verb', () => {
    const keys = [step('1', 'a', 1), step('2', 'b', 1), step('3', 'a', 1, 'remove')].map(sharing.keyOf)
    expect(keys).toEqual(['license licenses add', 'license licenses add', 'license licenses remove'])
    expect(sharing.keyOf({ ...step('4', 'a', 1), collection: 'others' })).toBeUndefined()
    expect(sharing.keyOf({ ...step('5', 'a', 1), kind: 'user' })).toBeUndefined()
  })

  it.each([
    [[['a', 1]], 1],
    [
      [
        ['a', 3],
        ['b', 1],
      ],
      1,
    ],
    [
      [
        ['a', 1],
        ['b', 2],
        ['c', 1],
      ],
      2,
    ],
    [
      [
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ],
      3,
    ],
    [
      [
        ['a', 1],
        ['b', 1],
        ['a', 1],
      ],
      2,
    ],
    [
      [
        ['a', 1],
        ['a', 1],
        ['b', 1],
      ],
      1,
    ],
    [
      [
        ['a', 4],
        ['b', 1],
      ],
      1,
    ],
  ] as const)('takes what fits, and each object once: %j', (people, expected) => {
    const steps = people.map(([person, count], index) => step(String(index), person, count))
    expect(sharing.fitting(steps as unknown as [Step, ...Step[]])).toBe(expected)
  })
})

describe('a shared request', () => {
  it('holds what each would send by itself, and its answer is for all', async () => {
    const { sharing, requests } = sharingOf(async () => null)
    const steps = [step('1', 'a', 1), step('2', 'b', 2)]
    await sharing.send(steps)
    const assigned = [
      { svcId: 'a', licenses: [{ type: 'Type0' }] },
      { svcId: 'b', licenses: [{ type: 'Type0' }, { type: 'Type1' }] },
    ]
    expect(requests).toEqual([{ method: 'POST', path: '/admin/licenses/assign', body: { assignLicenses: assigned } }])
    expect(steps.map(sharing.answerTo)).toEqual([{ steps: 2 }, { steps: 2 }])
    expect(sharing.answerTo(step('3', 'c', 1))).toBeUndefined()
  })

  it('that fails, fails for all', async () => {
    const error = new TypeError('refused')
    const { sharing } = sharingOf(() => Promise.reject(error))
    await sharing.send([step('1', 'a', 1)])
    expect(sharing.answerTo(step('1', 'a', 1))).toEqual({ steps: 1, error })
  })

  it('is not sent where the journal takes no line of one of them, or one names another object', async () => {
    const { sharing, requests } = sharingOf(
      async () => null,
      async (id) => {
        if (id === '2') throw new TypeError('no space left')
      },
    )
    const [first, second] = [step('1', 'a', 1), step('2', 'b', 1)]
    await sharing.send([first, second])
    await sharing.send([first, { ...step('3', 'c', 1), at: { name: 'd', self: 'd' } }])
    expect([requests, sharing.answerTo(first)]).toEqual([[], undefined])
  })
})
