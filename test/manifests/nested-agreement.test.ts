// The loader and the yaml package agree on values and offsets in every section, the nested ones included: processes
// with what stands in them, connections with their environments.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { load } from './manifest-fixture.ts'
import { placedByLoader, placedByYaml } from './placed-values.ts'

// Substitutions are loaded as moments and with a key, not as they are written: there is nothing to agree on.
const examples = ['examples/quickstart', 'examples/organisation']
  .flatMap((dir) => findManifestFiles(dir, ['manifests']).files)
  .filter((file) => !file.endsWith('substitutions.yaml'))

/** Everything in the environment is set, and variables mean themselves, so that what is written can be compared. */
const settings = {
  env: new Proxy({}, { get: (_, name) => (name === 'SVCSYNC_ALLOW_ENV' ? '*' : 'set') }),
  variables: { erpServer: '${var:erpServer}', v: '${var:v}' },
}

function expectAgreement(text: string): void {
  const { declarations, problems } = load(text, settings)
  expect(problems).toEqual([])
  expect(placedByLoader(declarations)).toEqual(placedByYaml(text, kinds))
}

describe('the loader and the yaml package agree', () => {
  it.each(examples)('on %s', (file) => expectAgreement(readFileSync(file, 'utf8')))

  it('on random manifests with nested sections', () => {
    fc.assert(fc.property(manifest, expectAgreement), { numRuns: 300 })
  })
})

type Tree = string | readonly Tree[] | { readonly [key: string]: Tree }

const text = fc.oneof(
  fc.stringMatching(/^[a-zżół漢🙂][a-z0-9żół漢🙂@._-]{0,8}$/u),
  fc.constantFrom(
    '007',
    'no',
    '1e3',
    'True',
    '"a: b # c"',
    "'it''s'",
    '"\\t\\u00e9"',
    '${var:v}',
    '2026-11-20',
    '-',
    "'- x'",
  ),
)
const written = text.filter((each) => each !== '-')
const name = fc.uuid().map((id) => `n${id}`)
const flag = fc.constantFrom('true', 'false', 'True', 'FALSE')
const secret = fc.constantFrom('${env:S}', '"${env:S}"', "'${env:S}'")
const optional = (fields: Record<string, fc.Arbitrary<Tree>>, always: Record<string, fc.Arbitrary<Tree>> = {}) =>
  fc.record({ ...always, ...fields }, { requiredKeys: Object.keys(always) }) as fc.Arbitrary<Record<string, Tree>>
const list = (item: fc.Arbitrary<Tree>) => fc.array(item, { minLength: 1, maxLength: 3 })

const environment = optional({
  server: written,
  connectionType: fc.constant('SqlLogin'),
  trustCertificate: flag,
  user: written,
  password: secret,
})
const connection = optional(
  { sql: optional({ common: environment, dev: fc.oneof(environment, fc.constant('null')), prod: environment }) },
  { name, type: fc.constant('SQL') },
)
const grantee = fc.oneof(written, optional({ company: written }, { svcId: written }))
const privileges = optional({ Modify: list(written), Start: list(grantee), ReadOnly: fc.constant('null') })
const constant = optional(
  {
    groupId: fc.constantFrom('4', '0o17', '0x1F', '+7', 'null'),
    common: written,
    test: fc.oneof(written, fc.constant('~')),
  },
  { name },
)
const formType = optional(
  { privileges, manage: optional({ privileges: fc.constant('additive') }) },
  { formType: written },
)
const workflow = optional({ formTypes: list(formType) }, { workflow: written })
const process = optional(
  { application: written, constants: list(constant), privileges, workflows: list(workflow) },
  { process: written },
)
const sections = optional({
  connections: list(connection),
  processes: list(process),
  constants: list(constant),
  applications: list(optional({ privileges: optional({ Administrator: list(written) }) }, { application: written })),
})
const manifest = fc
  .tuple(
    fc.array(sections, { minLength: 1, maxLength: 2 }),
    fc.infiniteStream(fc.nat(11)),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([documents, choices, lineBreak]) => {
    const choose = () => Number(choices.next().value)
    return documents
      .map((each) => `---\n${write(each, '', choose)}\n`)
      .join('')
      .replaceAll('\n', lineBreak)
  })

/** YAML of a tree in a style that `choose` chooses anew for each node. */
function write(tree: Tree, indent: string, choose: () => number): string {
  if (typeof tree === 'string') return tree
  const lines = Array.isArray(tree)
    ? (tree as readonly Tree[]).map((item) => `- ${nested(item, `${indent}  `, choose, true)}`)
    : Object.entries(tree).map(([key, value]) => `${quoted(key, choose())}:${nested(value, indent, choose, false)}`)
  if (lines.length === 0) return '{}'
  return lines.join(`${choose() === 0 ? ' # note' : ''}\n${indent}`)
}

function nested(tree: Tree, indent: string, choose: () => number, inList: boolean): string {
  const space = inList ? '' : ' '
  if (typeof tree === 'string') return `${space}${tree}`
  if (choose() < 3) return `${space}${flow(tree)}`
  if (inList) return write(tree, indent, choose)
  if (Object.keys(tree).length === 0) return ' {}'
  const deeper = `${indent}${' '.repeat(1 + (choose() % 4))}`
  return `${choose() === 0 ? ' # note: x' : ''}\n${deeper}${write(tree, deeper, choose)}`
}

function flow(tree: Tree): string {
  if (typeof tree === 'string') return tree.includes('${') && !/^["']/.test(tree) ? `"${tree}"` : tree
  if (Array.isArray(tree)) return `[${(tree as readonly Tree[]).map(flow).join(', ')}]`
  return `{ ${Object.entries(tree)
    .map(([key, value]) => `${key}: ${flow(value)}`)
    .join(', ')} }`
}

function quoted(key: string, choice: number): string {
  return choice === 0 ? `"${key}"` : choice === 1 ? `'${key}'` : key
}
