// Keys that objects have of themselves, at every level at which a mapping may stand; and scalars that other readers of
// YAML take for something else.
import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { loadProject } from '../../src/project/load-project.ts'
import { brief, inFolder, itemsOf, load } from './manifest-fixture.ts'

const fooling = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

/** A mapping of each level with one more key in it. */
const levels: Readonly<Record<string, (entry: string) => string>> = {
  'the top': (entry) => `${entry}\nusers: []`,
  'a user': (entry) => `users: [{ svcId: a, ${entry} }]`,
  "a group's manage": (entry) => `groups: [{ svcId: a, manage: { ${entry} } }]`,
  'the levels of an application': (entry) => `applications: [{ application: a, privileges: { ${entry} } }]`,
  'the levels of a process': (entry) => `processes: [{ process: a, privileges: { ${entry} } }]`,
  'the levels of a form type': (entry) =>
    `processes: [{ process: a, workflows: [{ workflow: w, formTypes: [{ formType: f, privileges: { ${entry} } }] }] }]`,
  'one privilege': (entry) => `processes: [{ process: a, privileges: { Start: [{ svcId: a, ${entry} }] } }]`,
  'a constant of a process': (entry) => `processes: [{ process: a, constants: [{ name: a, ${entry} }] }]`,
  'a connection': (entry) => `connections: [{ name: a, type: SQL, ${entry} }]`,
  'a node of a connection': (entry) => `connections: [{ name: a, type: SQL, sql: { ${entry} } }]`,
  'an environment': (entry) => `connections: [{ name: a, type: SQL, sql: { common: { ${entry} } } }]`,
  'a merged mapping': (entry) => `users: [{ svcId: a, <<: { ${entry} } }]`,
}

describe('keys that objects have of themselves are unknown', () => {
  it.each(Object.entries(levels))('in %s', (_, manifest) => {
    for (const key of fooling) {
      for (const value of ['x', '[x]', '{ polluted: x }', 'null']) {
        const text = manifest(`"${key}": ${value}`)
        const { problems } = load(text)
        expect([text, problems.map(({ code }) => code)]).toEqual([text, ['SVC1101']])
        const { place } = problems[0] ?? {}
        expect(text.split('\n')[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1)).toMatch(`"${key}"`)
      }
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('as names of targets, databases and variables they are names like others, but for `__proto__`', () => {
    const project = (map: string, key: string, value: string) =>
      'version: 1\nmanifests: [m]\ntarget: t\ntargets:\n' +
      `  t: { baseUrl: https://x.example.com, ${map}: { "${key}": ${value} } }\n`
    const maps = [
      ['variables', 'v'],
      ['databases', '7'],
    ] as const
    for (const [key, [map, value]] of fooling.flatMap((key) => maps.map((each) => [key, each] as const))) {
      const result = inFolder({ 'm.yaml': project(map, key, value) }, (dir) =>
        loadProject(`${dir}/m.yaml`, { kinds, env: {}, displayBase: dir, needCredentials: false }),
      )
      const wire = inFolder({ 'm.yaml': project('wireNames', key, 'v') }, (dir) =>
        loadProject(`${dir}/m.yaml`, { kinds, env: {}, displayBase: dir, needCredentials: false }),
      )
      // Neither keys nor words of an interface, which the names of JavaScript's own objects are not either.
      expect(wire.problems.map(({ code }) => code)).toEqual(
        key in {} ? [key === '__proto__' ? 'SVC1101' : 'SVC1501'] : [],
      )
      if (key === '__proto__') {
        expect(brief(result.problems)).toMatchObject([
          expect.stringMatching(/^SVC1101 5:\d+ `__proto__` cannot be a key$/),
        ])
      } else {
        expect(result.problems).toEqual([])
        expect(Object.entries(result.project?.target[map] ?? {})).toEqual([[key, value === '7' ? 7 : value]])
      }
    }
  })

  it('as names of sets of accounts, too', () => {
    for (const key of fooling) {
      const { sets, problems } = load(`sets: { "${key}": [a] }`)
      if (key === '__proto__') expect(brief(problems)).toEqual(['SVC1101 1:9 `__proto__` cannot be a key'])
      else expect([problems, [...sets.keys()]]).toEqual([[], [key]])
    }
    expect(load('groups: [{ svcId: g, members: [{ set: constructor }] }]').sets.size).toBe(0)
  })

  it('as names in references they stand for nothing', () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      for (const scheme of ['env', 'var']) {
        const { problems } = load(`users: [{ svcId: a, name: "\${${scheme}:${key}}" }]`)
        expect(problems.map(({ code }) => code)).toEqual([scheme === 'env' ? 'SVC1201' : 'SVC1203'])
      }
    }
  })
})

describe('scalars that other readers take for something else', () => {
  it.each([
    'NO',
    'on',
    'off',
    'y',
    'Yes',
    '1_000',
    '0o17',
    '0b11',
    '2026-11-20',
    '2026-11-20T10:00:00Z',
    '1:30',
    '0x',
    '1e400',
    '123456789012345678901234567890',
    '.nan',
    '-.inf',
    '0.1000',
    '+1',
    '1,5',
  ])('%s is the text that was written, where a text is wanted', (written) => {
    const { constants } = itemsOf(load(`constants:\n  - name: a\n    common: ${written}`))
    expect(constants).toEqual([{ name: 'a', common: written }])
  })

  it.each([
    'NO',
    '1_000',
    '2026-11-20',
    '1e3',
    '1e400',
    '123456789012345678901234567890',
    '9007199254740993',
    '-4',
    '0',
    '4.0',
    '0b11',
    '.inf',
    '"4"',
    'true',
    '0xFFFFFFFFFFFFFFFFFF',
  ])('%s is no whole number', (written) => {
    const { problems } = load(`constants:\n  - name: a\n    groupId: ${written}`)
    expect(problems).toMatchObject([{ place: { line: 3, column: 14 } }])
  })

  it.each(['NO', 'on', 'off', 'y', '1', '0', '"true"', 'tRUE'])('%s is neither true nor false', (written) => {
    const { problems } = load(`users:\n  - svcId: a\n    absent: ${written}`)
    expect(problems).toMatchObject([{ code: 'SVC1102', place: { line: 3, column: 13 } }])
  })

  it.each(['NO', 'true', '1.0', '0o17', '2026-11-20'])('%s is no key', (written) => {
    expect(load(`users: [{ svcId: a, ${written}: b }]`).problems).toMatchObject([{ place: { line: 1, column: 21 } }])
  })
})
