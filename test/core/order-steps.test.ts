// The order of steps: what a step needs comes before it, and objects that need each other get a reference later.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Change } from '../../src/core/compare/change.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { Step } from '../../src/core/model/step.ts'
import { draftOf, type StepDraft } from '../../src/core/plan/draft-steps.ts'
import { orderSteps } from '../../src/core/plan/order-steps.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { user } from '../../src/kinds/user/index.ts'

function changeOf(kind: Kind, key: string, spec: object = {}): Change {
  const declarations = [{ section: kind.sections[0], item: {} }]
  const part = { kind, key, address: `${kind.name}/${key}`, at: { name: key }, spec, fieldKeys: {}, declarations }
  return { address: part.address, desired: { ...part, collections: {} }, live: undefined } as unknown as Change
}
const draft = (change: Change, verb: Step['verb'], edges: object = {}, sent: object = {}): StepDraft =>
  draftOf(change, verb, sent, edges)
const said = ({ verb, address }: Step): string => `${verb} ${address}`

it('steps of one length of chain keep their order, and tell what they depend on and what they follow', () => {
  const [a, b] = [changeOf(user, 'a'), changeOf(group, 'b')]
  const createA = draft(a, 'create')
  const first = draft(b, 'add', { needs: ['a', 'nobody'] })
  const second = draft(b, 'remove', { follows: first, after: [createA] })
  const steps = orderSteps([second, first, draft(b, 'update'), createA])
  expect(steps.map((each) => [each.id, said(each), each.dependsOn, each.follows])).toEqual([
    ['1', 'update group/b', [], undefined],
    ['2', 'create user/a', [], undefined],
    ['3', 'add group/b', ['2'], undefined],
    ['4', 'remove group/b', ['2'], ['3']],
  ])
})

it('an account goes last of all that refers to it, and two that refer to each other go all the same', () => {
  const [a, b, c] = [changeOf(user, 'a'), changeOf(user, 'b'), changeOf(group, 'c')]
  const order = (...drafts: StepDraft[]) => orderSteps(drafts).map(said)
  expect(order(draft(a, 'delete'), draft(c, 'remove', { releases: ['a'] }))).toEqual([
    'remove group/c',
    'delete user/a',
  ])
  expect(order(draft(a, 'delete', { releases: ['a', 'b'] }), draft(b, 'delete', { releases: ['a'] }))).toEqual([
    ...['delete user/a', 'delete user/b'],
  ])
  // Nobody else has the name of a licence.
  const licence = draft(changeOf(license, 'a'), 'delete')
  expect(order(licence, draft(c, 'remove', { releases: ['a'] }))).toEqual(['delete license/a', 'remove group/c'])
  const twice = orderSteps([draft(a, 'delete'), draft(c, 'remove', { releases: ['a', 'a'] })])
  expect(twice.at(-1)?.dependsOn).toEqual(['1'])
})

it('accounts that need each other are created without the reference at the first address, which comes later', () => {
  const create = (key: string, manager: string, needs = [manager]) =>
    draft(
      changeOf(user, key, { managerSvcId: manager }),
      'create',
      { needs },
      { spec: { name: key, managerSvcId: manager } },
    )
  const shown = (steps: readonly Step[]) =>
    steps.map(({ spec, dependsOn, ...each }) => [said(each as Step), spec, dependsOn])
  expect(shown(orderSteps([create('b', 'a'), create('a', 'b')]))).toMatchObject([
    ['create user/a', { name: 'a' }, []],
    ['create user/b', { name: 'b', managerSvcId: 'a' }, ['1']],
    ['update user/a', { managerSvcId: 'b' }, ['1', '2']],
  ])
  expect(shown(orderSteps([create('a', 'a')]))).toMatchObject([
    ['create user/a', { name: 'a' }, []],
    ['update user/a', { managerSvcId: 'a' }, ['1']],
  ])
  expect(shown(orderSteps([create('a', 'b'), create('b', 'c', [])]))).toEqual([
    ['create user/b', { name: 'b', managerSvcId: 'c' }, []],
    ['create user/a', { name: 'a', managerSvcId: 'b' }, ['1']],
  ])
})

it('groups in each other are created without the members that come later', () => {
  const element = (svcId: string) => keyedElement({ svcId }, String)
  const create = (key: string, ...members: string[]) =>
    draft(
      changeOf(group, key),
      'create',
      { needs: members },
      { spec: {}, collections: { members: members.map(element), owners: [] } },
    )
  const steps = orderSteps([create('a', 'b', 'x'), create('b', 'a')])
  const names = (elements: Step['elements']) => elements?.map(({ svcId }) => svcId)
  expect(
    steps.map((each) => [said(each), names(each.collections?.members), names(each.elements), each.dependsOn]),
  ).toEqual([
    ['create group/a', ['x'], undefined, []],
    ['create group/b', ['a'], undefined, ['1']],
    ['add group/a', undefined, ['b'], ['1', '2']],
  ])
})

type How = 'after' | 'needs' | 'releases' | 'follows'

/** Lets a later step wait for an earlier one. Returns whether it does: creations are needed, and deletions last. */
function link(early: StepDraft, late: StepDraft, how: How): boolean {
  const name = (of: StepDraft): string => of.change.desired?.key as string
  if (how === 'needs') late.needs = [...late.needs, name(early)]
  if (how === 'releases') (early as { releases: readonly string[] }).releases = [...early.releases, name(late)]
  if (how === 'after') late.after.push(early)
  if (how === 'follows') late.follows = early
  return (
    how === 'after' ||
    (how === 'needs' && early.step.verb === 'create') ||
    (how === 'releases' && late.step.verb === 'delete')
  )
}

it('whatever waits for whatever, each step comes once, behind all that it waits for', () => {
  const how = fc.constantFrom<How>('after', 'needs', 'releases', 'follows')
  const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7), how), { maxLength: 14 })
  const verbs = fc.array(fc.constantFrom('create' as const, 'delete' as const), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(edges, verbs, (all, some) => {
      const drafts = some.map((verb, at) => draft(changeOf(user, `u${at}`), verb, { after: [] }))
      // Only a later one waits for an earlier one, so that nothing goes round.
      const sorted = all.map(([a, b, how]) => [Math.min(a, b), Math.max(a, b), how] as const).filter(([a, b]) => a < b)
      const wanted = sorted.filter(([a, b, how]) => link(drafts[a] as StepDraft, drafts[b] as StepDraft, how))
      const before = drafts.map(({ follows }, later) => {
        const own = wanted.flatMap(([first, each]) => (each === later ? drafts[first] : undefined) ?? [])
        return new Set(follows === undefined ? own : [...own, follows])
      })
      const steps = orderSteps(drafts.toReversed())
      expect(new Set(steps)).toEqual(new Set(drafts.map(({ step }) => step)))
      expect(steps).toHaveLength(drafts.length)
      for (const [at, { step }] of drafts.entries()) {
        const own = [...(before[at] ?? [])].map((each) => each.step)
        expect(own.every((each) => steps.indexOf(each) < steps.indexOf(step))).toBe(true)
        expect(new Set([...step.dependsOn, ...(step.follows ?? [])])).toEqual(new Set(own.map(({ id }) => id)))
      }
    }),
  )
})
