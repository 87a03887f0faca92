// Which kinds manifests declare, by their text: what is told is what parsing finds.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { kindsWritten } from '../../src/manifests/kinds-written.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'
import { readNeeds } from '../../src/runs/open/scope-needs.ts'

const named = (...texts: string[]) => {
  const found = kindsWritten(texts, kinds)
  return found && [...found].map(({ name }) => name)
}

describe('tells the kinds in the order in which they come', () => {
  it.each([
    ['users:\n  - svcId: a@example.com\n', ['user']],
    ['# People\n\nusers:   # all of them\n\n  # the first\n  - { svcId: a@example.com }\n', ['user']],
    ['database: main\nprocesses:\n- process: Orders\n  application: Purchasing\n', ['process']],
    ['---\ngroups:\n  - svcId: g\n---\nmemberships:\r\n  - svcId: g\nusers:\n  - svcId: a\n', ['group', 'user']],
    ['sets:\n  clerks: [a@example.com]\n', []],
    ['', []],
  ])('%j', (text, expected) => expect(named(text)).toEqual(expected))

  it('of several files', () =>
    expect(named('users:\n  - svcId: a\n', 'groups:\n  - svcId: g\n')).toEqual(['user', 'group']))
})

describe('tells nothing', () => {
  it.each([
    ['of a list in brackets', 'users: [{ svcId: a@example.com }]\n'],
    ['of an empty list', 'users: []\n'],
    ['of a key without a value', 'users:\n'],
    ['of a key whose list may come from elsewhere', 'users:\n  *all\n'],
    ['of one section with items and one without', 'groups:\n  - svcId: g\nusers:\n'],
    ['of JSON', '{ "users": [{ "svcId": "a@example.com" }] }\n'],
    ['of keys in quotes', '"users":\n  - svcId: a@example.com\n'],
    ['of a document that begins further to the right, beside others', 'users:\n  - svcId: a\n? groups\n: - svcId: g\n'],
    ['of licences, which may name processes', 'licenses:\n  - svcId: a@example.com\n'],
    ['of substitutions, which may name processes', 'substitutions:\n  - user: a@example.com\n'],
    ['of what stands in a process', 'processes:\n  - process: Orders\n    constants:\n      - name: Limit\n'],
    ['of the same, in braces', 'processes:\n  - { process: Orders, workflows: [{ workflow: Main }] }\n'],
  ])('%s', (_, text) => expect(named('users:\n  - svcId: b\n', text)).toBeUndefined())
})

describe('of the examples and scenarios, asks for the same access as their declarations', () => {
  const folders = ['examples', 'test/scenarios']
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((name) => /manifests.*\.ya?ml$/.test(name))
  it('is tried on many, and tells most', () => {
    expect(files.length).toBeGreaterThan(100)
  })
  it('does', () => {
    let told = 0
    for (const file of files) {
      const written = kindsWritten([readFileSync(file, 'utf8')], kinds)
      if (written === undefined) continue
      told += 1
      const options = { files: [join(process.cwd(), file)], kinds, variables: {}, env: {}, projectDir: process.cwd() }
      const { declarations } = loadManifests({ ...options, displayBase: process.cwd() } as never)
      expect({ file, needs: readNeeds([], [...written]) }).toEqual({ file, needs: readNeeds(declarations) })
    }
    expect(told / files.length).toBeGreaterThan(0.3)
  })
})
