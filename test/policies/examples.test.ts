// The policies that people copy, and the tests that come with them: each is tried every way.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { kinds } from '../../src/kinds/index.ts'
import { loadPolicies, testPolicies } from '../../src/policies/index.ts'

const folder = resolve('examples/policies')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
const { policies, tests, problems } = loadPolicies({
  files: files.map((name) => resolve(folder, name)),
  kinds,
  projectDir: folder,
  displayBase: folder,
})

describe('the policies in examples/policies', () => {
  it('are in order, and eighteen', () => {
    expect(problems).toEqual([])
    expect(policies).toHaveLength(18)
  })

  it('keep to their tests, which try each of them every way', () => {
    const tested = testPolicies(tests, policies, kinds)
    expect(tested.problems).toEqual([])
    const gaps = tested.coverage.filter(({ holds, breaks, leavesOut }) => !holds || !breaks || leavesOut === 0)
    expect(gaps).toEqual([])
  })

  it('have the form that editors are told', () => {
    const schema = (name: string) => JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')) as object
    const ajv = new Ajv({ allErrors: true, strict: false }).addSchema(schema('manifest'), 'manifest.schema.json')
    const check = ajv.compile(schema('policies'))
    for (const name of files) {
      const text = readFileSync(resolve(folder, name), 'utf8')
      const up = name.includes('/') ? '../../..' : '../..'
      expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=${up}/schemas/policies.schema.json`)
      expect({ name, valid: check(parse(text)), errors: check.errors }).toEqual({ name, valid: true, errors: null })
    }
    const policy = { name: 'a', for: ['group'], expression: 'true', message: 'm' }
    expect(check({ policies: [policy] })).toBe(true)
    for (const wrong of [
      { level: 'error' },
      { for: ['grup'] },
      { for: [] },
      { on: 'plan' },
      { expresion: '' },
      { name: '' },
    ]) {
      expect({ wrong, valid: check({ policies: [{ ...policy, ...wrong }] }) }).toEqual({ wrong, valid: false })
    }
  })
})
