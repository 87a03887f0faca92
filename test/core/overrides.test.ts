// A target's own files override the manifests of all targets.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asWrittenDirectory } from '../../src/core/assemble/as-written-directory.ts'
import { assembleDesired } from '../../src/core/assemble/assemble-desired.ts'
import { kinds } from '../../src/kinds/index.ts'
import { load } from '../manifests/manifest-fixture.ts'

/** The desired state as data, and the problems. */
function desiredOf(files: Readonly<Record<string, object>>) {
  const texts = Object.fromEntries(Object.entries(files).map(([name, items]) => [name, JSON.stringify(items)]))
  const loaded = load(texts)
  const directory = asWrittenDirectory({ main: 1 }, kinds)
  const { desired, problems } = assembleDesired(loaded.declarations, directory, {
    normalise: (svcId) => svcId.toLowerCase(),
    collections: 'exclusive',
    ends: new Map(),
    sets: new Map(),
    overrides: new Set(['z.yaml']),
    time: { nowMs: 0, timeZone: 'UTC' },
  })
  const objects = desired.map(({ address, spec, collections, absent, previously }) => ({
    address,
    absent,
    // A deletion ignores all other fields.
    spec: absent ? {} : spec,
    previously,
    collections: absent
      ? []
      : Object.entries(collections).map(([name, { mode, parts, elements }]) => [
          name,
          mode,
          parts === 'all' ? parts : [...parts].sort(),
          [...elements.keys()].sort(),
        ]),
  }))
  return { objects: JSON.parse(JSON.stringify(objects)), problems: [...loaded.problems, ...problems] }
}

/** The rule, said a second time: mappings key by key, everything else whole. Items, at depth 1, are never empty. */
function laidOver(below: unknown, above: unknown, depth = 0): unknown {
  const isMapping = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMapping(below) || !isMapping(above) || (depth > 1 && Object.keys(above).length === 0)) return above
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])]
  return Object.fromEntries(
    keys.map((key) => [key, key in above ? laidOver(below[key], above[key], depth + 1) : below[key]]),
  )
}

const accounts = fc.uniqueArray(fc.constantFrom('a@x', 'b@x', 'c@x'), { maxLength: 3 })
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(shape, { requiredKeys: [] })
const word = fc.constantFrom('', 'one', 'two')
const mode = fc.constantFrom('exclusive', 'additive')
const levels = some({ Modify: accounts, Start: accounts, ReadOnly: accounts })
const settings = some({ server: word, database: word, trustCertificate: fc.boolean() })
const group = some({
  name: fc.constantFrom('A', 'B'),
  email: fc.option(fc.constantFrom('m@x', 'n@x')),
  members: fc.option(accounts),
  owners: accounts,
  manage: some({ members: mode, owners: mode }),
  absent: fc.boolean(),
})
const environment = fc.option(word)
const constant = some({ common: word, dev: environment, test: environment, previously: fc.constant('Old') })
const connection = some({ sql: some({ common: settings, dev: fc.option(settings), test: fc.option(settings) }) })
const process = some({ privileges: fc.option(levels), manage: some({ privileges: mode }) })

const manifest = (item: { [key: string]: object }) => ({
  groups: [{ svcId: 'g@x', ...item.group }],
  constants: [{ name: 'C', ...item.constant }],
  connections: [{ name: 'D', type: 'SQL', ...item.connection }],
  processes: [{ process: 'P', ...item.process, constants: [{ name: 'Q', ...item.constant }] }],
})
const items = fc.record({ group, constant, connection, process })

it('is what one item would be in which the override stands in the place of the base', () => {
  fc.assert(
    fc.property(items, items, (base, override) => {
      // Bringing back what the base deletes wants `absent: false`: a test below.
      fc.pre(base.group.absent !== true || override.group.absent !== undefined)
      const both = desiredOf({ 'm.yaml': manifest(base), 'z.yaml': manifest(override) })
      const whole = desiredOf({ 'm.yaml': manifest(laidOver(base, override) as typeof base) })
      expect(both.problems).toEqual([])
      expect(both.objects).toEqual(whole.objects)
    }),
    { numRuns: 150 },
  )
})

it('replaces what several declarations of the base say together', () => {
  const { objects, problems } = desiredOf({
    'm.yaml': {
      groups: [{ svcId: 'g@x', name: 'G', members: ['a@x'], manage: { members: 'additive' } }],
      memberships: [
        { group: 'g@x', members: ['b@x'] },
        { group: 'g@x', members: ['c@x'] },
      ],
    },
    'z.yaml': { memberships: [{ group: 'g@x', members: ['d@x'] }] },
  })
  expect(problems).toEqual([])
  expect(objects[0].collections).toEqual([['members', 'additive', 'all', ['a@x', 'd@x']]])
})

it('refuses the same field in two overrides, as in two manifests', () => {
  const item = (server: string) => ({ name: 'D', type: 'SQL', sql: { common: { server } } })
  const { problems } = desiredOf({
    'm.yaml': { connections: [item('a')], constants: [{ name: 'C', common: 'x' }] },
    'z.yaml': {
      connections: [item('b'), item('c')],
      constants: [
        { name: 'C', common: 'y' },
        { name: 'C', common: 'z' },
      ],
    },
  })
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'SVC1301 `type` of connection `D` is declared twice',
    'SVC1301 `sql` of connection `D` is declared twice',
    'SVC1301 `common` of constant `C` is declared twice',
  ])
})

it('brings back what the base deletes by `absent: false`, and not by the way', () => {
  const base = { users: [{ svcId: 'a@x', absent: true }] }
  const back = desiredOf({ 'm.yaml': base, 'z.yaml': { users: [{ svcId: 'a@x', name: 'A', absent: false }] } })
  expect(back).toMatchObject({ objects: [{ absent: false, spec: { name: 'A' } }], problems: [] })
  const { problems } = desiredOf({ 'm.yaml': base, 'z.yaml': { users: [{ svcId: 'a@x', name: 'A' }] } })
  expect(problems).toMatchObject([{ code: 'SVC1314', place: { file: 'z.yaml' } }])
})

/** Every path of an item that may be taken out. */
function pathsIn(item: object, before = ''): string[] {
  return Object.entries(item).flatMap(([key, value]) => {
    const path = `${before}${key}`
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? pathsIn(value, `${path}.`) : []
    return ['absent', 'manage', 'previously'].includes(key) ? [] : [path, ...inner]
  })
}

/** The same without what a path leads to; a mapping that says nothing any more goes with it. */
function leftOf(value: object, paths: readonly string[]): object {
  const entries = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    if (paths.includes(key)) return []
    const inner = paths.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1))
    if (inner.length === 0) return [[key, part]]
    const left = leftOf(part as object, inner)
    return Object.keys(left).length === 0 ? [] : [[key, left]]
  })
  return Object.fromEntries(entries)
}

it('leaves what an override lists as unmanaged to the target, as if no manifest said it', () => {
  fc.assert(
    fc.property(items, fc.array(fc.nat(), { maxLength: 5 }), (base, picks) => {
      fc.pre(base.group.absent !== true)
      const taken = Object.fromEntries(
        Object.entries(base).map(([key, item]) => {
          const paths = pathsIn(item)
          return [
            key,
            paths.length === 0 ? [] : [...new Set(picks.map((pick) => paths[pick % paths.length] as string))],
          ]
        }),
      )
      const override = Object.fromEntries(Object.entries(taken).map(([key, unmanaged]) => [key, { unmanaged }]))
      const left = Object.fromEntries(
        Object.entries(base).map(([key, item]) => [key, leftOf(item, taken[key] as string[])]),
      )
      const both = desiredOf({ 'm.yaml': manifest(base), 'z.yaml': manifest(override) })
      expect(both.problems).toEqual([])
      expect(both.objects).toEqual(desiredOf({ 'm.yaml': manifest(left) }).objects)
    }),
    { numRuns: 150 },
  )
})

it('refuses an unmanaged that takes nothing out', () => {
  const codes = (files: Readonly<Record<string, object>>) =>
    desiredOf(files).problems.map(({ code, place, message }) => `${code} ${place?.file}:${place?.column} ${message}`)
  const user = (more: object) => ({ users: [{ svcId: 'a@x', ...more }] })
  const base = { 'm.yaml': user({ name: 'A' }) }
  expect(codes({ 'm.yaml': user({ name: 'A', unmanaged: ['name'] }) })).toEqual([
    'SVC1319 m.yaml:50 `name` cannot be unmanaged here: this manifest applies to every target',
  ])
  expect(codes({ ...base, 'z.yaml': user({ unmanaged: ['jobTitle'] }) })).toEqual([
    'SVC1319 z.yaml:39 No manifest declares `jobTitle` of user `a@x`: there is nothing to unmanage',
  ])
  expect(codes({ ...base, 'z.yaml': user({ name: 'B', unmanaged: ['name'] }) })).toEqual([
    'SVC1319 z.yaml:50 An override declares `name` and unmanages it',
  ])
  expect(codes({ ...base, 'z.yaml': user({ unmanaged: ['svcId', 'nmae'] }) })).toMatchObject([
    expect.stringContaining('SVC1104'),
    expect.stringContaining('SVC1104'),
  ])
})

it('refuses an unmanaged part of what is said as a whole: it would be managed all the same', () => {
  const codes = (base: object, override: object) =>
    desiredOf({
      'm.yaml': { applications: [{ application: 'A', ...base }] },
      'z.yaml': { applications: [{ application: 'A', ...override }] },
    }).problems.map(({ code, message }) => `${code} ${message}`)
  const unmanaged = ['privileges.ReadOnly']
  for (const privileges of [null, {}]) {
    expect(codes({ privileges: { ReadOnly: ['a@x'] } }, { privileges, unmanaged })).toContain(
      'SVC1319 An override declares `privileges` as a whole, and unmanages `privileges.ReadOnly`, a part of it',
    )
    expect(codes({ privileges }, { unmanaged })).toEqual([
      'SVC1319 A manifest declares `privileges` of application `A` as a whole, ' +
        'and `privileges.ReadOnly` is a part of it',
    ])
  }
  expect(codes({ privileges: {} }, { unmanaged: ['privileges'] })).toEqual([])
})
