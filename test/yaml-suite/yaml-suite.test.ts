// The public YAML test suite against the way in which manifests are read: every case has its events and values, or a
// problem with its place. No case is left out.
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../src/errors/index.ts'
import { isParsed, parseYaml } from '../../src/manifests/parse-yaml.ts'
import { TextSource } from '../../src/manifests/text-source.ts'
import { load } from '../manifests/manifest-fixture.ts'
import { eventTree } from './event-tree.ts'
import { readAnything } from './read-anything.ts'
import { refusedCases } from './refused-cases.ts'
import { jsonValues, suiteCases } from './suite-cases.ts'

const cases = await suiteCases()
const named = (each: readonly (typeof cases)[number][]) => each.map((one) => [one.id, one.name, one] as const)

/** Cases for which the suite has no JSON, and that manifests can hold. */
const withoutJson: Readonly<Record<string, readonly unknown[]>> = {
  // The suite leaves open what a parser makes of a value that is left out.
  '4ABK': [{ unquoted: 'separate', 'http://foo.com': null, 'omitted value': null }],
  // `!` alone makes a text.
  'UKK6/2': [''],
}

function expectPlaceIn(yaml: string, { place }: Problem): void {
  const lines = yaml.split(/\r\n|\r|\n/)
  expect(place?.line).toBeGreaterThan(0)
  expect(place?.line).toBeLessThanOrEqual(lines.length)
  expect(place?.column).toBeGreaterThan(0)
  expect(place?.column).toBeLessThanOrEqual((lines[(place?.line ?? 0) - 1]?.length ?? 0) + 1)
}

const isEmpty = (value: unknown) => value === null || JSON.stringify(value) === '{}'

it('the suite is all there', () => {
  expect(cases).toHaveLength(402)
  expect(new Set(cases.map(({ id }) => id)).size).toBe(402)
  const known = new Set(cases.map(({ id }) => id))
  expect([...refusedCases.keys(), ...Object.keys(withoutJson)].filter((id) => !known.has(id))).toEqual([])
})

describe('what is not YAML is a problem with its place', () => {
  it.each(named(cases.filter(({ invalid }) => invalid)))('%s %s', (_, __, { yaml }) => {
    const { problems } = readAnything(yaml)
    expect(problems.map(({ code }) => code)).toEqual(['SVC1003'])
    for (const problem of problems) expectPlaceIn(yaml, problem)
  })
})

describe('what is YAML', () => {
  const valid = cases.filter(({ invalid }) => !invalid)

  it.each(named(valid))('%s %s has the events that the suite states', (_, __, { yaml, tree }) => {
    const events = parseYaml(new TextSource('case.yaml', yaml))
    if (!isParsed(events)) throw new TypeError(events.message)
    expect(eventTree(events, yaml)).toBe(tree)
  })

  it.each(named(valid.filter(({ id }) => !refusedCases.has(id))))(
    '%s %s has its values',
    (_, __, { id, yaml, json }) => {
      const { values, problems } = readAnything(yaml)
      expect(problems).toEqual([])
      expect(JSON.parse(JSON.stringify(values))).toEqual(withoutJson[id] ?? jsonValues(json ?? ''))
    },
  )

  it.each(named(valid.filter(({ id }) => refusedCases.has(id))))(
    '%s %s is refused by choice',
    (_, __, { id, yaml }) => {
      const { problems } = readAnything(yaml)
      const reasons = refusedCases.get(id) ?? []
      expect(problems.length).toBeGreaterThan(0)
      for (const { message } of problems) expect(reasons.filter((reason) => reason.test(message))).toHaveLength(1)
      for (const reason of reasons) expect(problems.some(({ message }) => reason.test(message))).toBe(true)
      for (const problem of problems) expectPlaceIn(yaml, problem)
    },
  )
})

it('no case of it is a manifest, unless it says nothing, and none makes the loader throw', () => {
  const texts = new Map(cases.map(({ id, yaml }) => [`${id.replace('/', '-')}.yaml`, yaml]))
  const { declarations, problems } = load(Object.fromEntries(texts))
  expect(declarations).toEqual([])
  for (const problem of problems) expectPlaceIn(texts.get(problem.place?.file ?? '') ?? '', problem)
  const refused = new Set(problems.map(({ place }) => place?.file))
  for (const { id, invalid, json } of cases) {
    const saysNothing = !invalid && json !== undefined && jsonValues(json).every(isEmpty)
    if (!saysNothing) expect([id, refused.has(`${id.replace('/', '-')}.yaml`)]).toEqual([id, true])
  }
})
