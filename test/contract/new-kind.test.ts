// The template of new kinds stays in step with what a kind is: it type-checks, generates and is formatted.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { namesOf } from '../../scripts/new-kind/template.ts'

/** Prints the kind of what the example declares, and how many problems there are. */
const loadExample = `
import { kinds } from './src/kinds/index.ts'
import { loadManifests } from './src/manifests/load-manifests.ts'
const files = ['src/kinds/cost-centre/example.yaml']
const { declarations, problems } = loadManifests({ files, kinds, variables: {}, env: {}, projectDir: '.', displayBase: '.' })
console.log(declarations.map(({ kind }) => kind.name).join(), problems.length)
`
const root = resolve(import.meta.dirname, '../..')
const bin = (name: string) => join(root, 'node_modules', name)

describe('a new kind', () => {
  let dir: string
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const newKind = (...names: string[]) => run('--import', 'tsx', 'scripts/new-kind.ts', ...names)

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'svcsync-new-kind-'))
    for (const part of [
      'src',
      'scripts',
      'schemas',
      'docs',
      'examples/quickstart',
      'examples/ci',
      'examples/policies',
      'package.json',
      'tsconfig.json',
      'biome.json',
      '.gitignore',
    ]) {
      cpSync(join(root, part), join(dir, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'junction')
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it('is written and registered', () => {
    expect(newKind('cost-centre')).toMatchObject({
      status: 0,
      output: expect.stringContaining('wrote src/kinds/cost-centre/index.ts'),
    })
    expect(readFileSync(join(dir, 'src/kinds/index.ts'), 'utf8')).toContain("from './cost-centre/index.ts'")
    const schema = JSON.parse(readFileSync(join(dir, 'schemas/manifest.schema.json'), 'utf8'))
    expect(Object.keys(schema.properties.costCentres.items.properties)).toEqual(['name', 'description', 'unmanaged'])
  })

  it('changes no file but generated ones, and brings a scenario and an example that is in order', () => {
    const changed = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => {
      const [copy, original] = [join(dir, file), join(root, file)]
      if (file.startsWith('node_modules') || !statSync(copy).isFile()) return false
      return !existsSync(original) || readFileSync(copy, 'utf8') !== readFileSync(original, 'utf8')
    })
    expect(changed.sort()).toEqual([
      'schemas/manifest.schema.json',
      'schemas/policies.schema.json',
      'src/kinds/cost-centre/example.yaml',
      'src/kinds/cost-centre/index.ts',
      'src/kinds/index.ts',
      'test/contract/samples/cost-centre.yaml',
      'test/scenarios/cost-centre/manifests/main.yaml',
      'test/scenarios/cost-centre/scenario.yaml',
      'test/scenarios/cost-centre/tenant.yaml',
    ])
    writeFileSync(join(dir, 'load.ts'), loadExample)
    expect(run('--import', 'tsx', 'load.ts')).toEqual({ status: 0, output: 'cost-centre 0\n' })
  })

  it('type-checks', () => {
    const config = { extends: './tsconfig.json', include: ['src/kinds', 'scripts/new-kind.ts'] }
    writeFileSync(join(dir, 'tsconfig.kind.json'), JSON.stringify(config))
    expect(run(bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.kind.json')).toEqual({ status: 0, output: '' })
  })

  it('is formatted and without lint', () => {
    const checked = run(bin('@biomejs/biome/bin/biome'), 'check', '--vcs-enabled=false', 'src/kinds/cost-centre')
    expect(checked).toMatchObject({ status: 0, output: expect.stringContaining('Checked 1 file') })
  })

  it.each([[['cost-centre']], [['../evil']], [['a', 'b']]])('refuses %j', (names) => {
    expect(newKind(...names)).toMatchObject({ status: 1 })
  })
})

it.each(['', 'Cost', '../evil', '-x', 'cost_centre', 'Ä'])('takes no names from %j', (folder) => {
  expect(namesOf(folder)).toBeUndefined()
})

it('takes its names from the folder', () => {
  expect(namesOf('tax-category')).toEqual({
    folder: 'tax-category',
    constant: 'taxCategory',
    title: 'Tax categories',
    section: 'taxCategories',
  })
})
