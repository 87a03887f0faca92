// The law of announcements: what a plan says begins or ends soon is what a list gains and loses, to the day, and all of
// it.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())

const firstDay = Date.UTC(2026, 1, 20)
const dayMs = 86_400_000
const day = (index: number) => new Date(firstDay + index * dayMs).toISOString().slice(0, 10)

/** Days from and until which an entry counts, the last one included; the 28th of February is among them. */
const bounds = fc
  .tuple(fc.option(fc.integer({ min: -3, max: 16 })), fc.option(fc.integer({ min: -3, max: 16 })))
  .filter(([from, until]) => from === null || until === null || from <= until)
  .map(
    ([from, until]) =>
      `${from === null ? '' : `, from: ${day(from)}`}${until === null ? '' : `, until: ${day(until)}`}`,
  )
const account = fc
  .tuple(fc.constantFrom('a@x', 'B@x', 'b@X', 'c@x'), bounds)
  .map(([svcId, time]) => `{ svcId: ${svcId}${time} }`)
const inner = fc.tuple(fc.constant('inner'), bounds).map(([set, time]) => `{ set: ${set}${time} }`)
const use = fc.tuple(fc.constantFrom('inner', 'outer'), bounds).map(([set, time]) => `{ set: ${set}${time} }`)
const list = <T>(entry: fc.Arbitrary<T>) =>
  fc.array(entry, { maxLength: 4 }).map((entries) => `[${entries.join(', ')}]`)
const manifests = fc
  .record({ inner: list(account), outer: list(fc.oneof(account, inner)), members: list(use), last: account })
  .map(
    ({ inner, outer, members, last }) =>
      `sets:\n  inner: ${inner}\n  outer: ${outer}\n  last: [${last}]\ngroups:\n` +
      `  - { svcId: g@x, members: ${members.replace(/\]$/, `${members === '[]' ? '' : ', '}{ set: last }]`)} }\n`,
  )

it('a list gains and loses what was announced, on that day, and nothing else', async () => {
  await tryLaw(
    fc.asyncProperty(manifests, async (manifest) => {
      workspace.manifest(manifest)
      const membersOn = async (index: number) => {
        const { desired, problems } = await workspace.open({ nowMs: firstDay + index * dayMs })
        // Lines of one set that overlap are a slip, and what they say together is held to the law all the same.
        expect(problems.filter(({ severity, code }) => severity === 'error' && code !== 'SVC1307')).toEqual([])
        return desired[0]?.collections.members
      }
      const announced = (await membersOn(0))?.upcoming
        .filter(({ at }) => Date.parse(at) <= firstDay + 14 * dayMs)
        .map(({ svcId, event, at }) => [at.slice(0, 10), event, svcId.toLowerCase()])
      const found: string[][] = []
      let before = [...((await membersOn(0))?.elements.keys() ?? [])]
      for (let index = 1; index <= 14; index++) {
        const after = [...((await membersOn(index))?.elements.keys() ?? [])]
        for (const svcId of after) if (!before.includes(svcId)) found.push([day(index), 'begins', svcId])
        for (const svcId of before) if (!after.includes(svcId)) found.push([day(index), 'ends', svcId])
        before = after
      }
      expect(announced?.sort()).toEqual(found.sort())
    }),
    0.5,
  )
})
