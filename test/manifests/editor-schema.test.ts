// The schemas for editors accept what svcsync accepts, and say no where it does.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/index.ts'

const read = (name: string) => JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')) as object
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, keywords: ['markdownDescription'] })
const isManifest = ajv.compile(read('manifest'))
const isProject = ajv.compile(read('project'))

/** A document that holds the item where its kind stands. */
function around(kindName: string, item: object): object {
  const kind = kinds.find(({ name }) => name === kindName)
  const { key, within } = kind?.sections[0] ?? { key: '', within: undefined }
  if (within === undefined) return { [key]: [item] }
  const outer = kinds.find(({ name }) => name === within)
  return around(within, { ...outer?.samples.minimal, [key]: [item] })
}

describe('schemas/manifest.schema.json', () => {
  it.each(kinds.map((kind) => [kind.name, kind] as const))('knows %s', (name, { samples }) => {
    for (const item of [samples.minimal, samples.full, samples.changed]) {
      expect(isManifest(around(name, item)) || isManifest.errors).toBe(true)
    }
  })

  it('refuses unknown keys and literals for credentials', () => {
    expect(isManifest({ users: [{ svcId: 'a', nmae: 'b' }] })).toBe(false)
    const connection = (password: string) => ({
      connections: [{ name: 'a', type: 'SQL', sql: { common: { password } } }],
    })
    expect(isManifest(connection('literal'))).toBe(false)
    expect(isManifest(connection('${file:x}'))).toBe(true)
  })

  it('accepts the examples', () => {
    for (const file of ['examples/quickstart', 'examples/organisation'].flatMap(
      (dir) => findManifestFiles(dir, ['manifests']).files,
    )) {
      for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
        const isFine = isManifest((document as { toJS(): unknown }).toJS())
        expect([file, isFine || isManifest.errors]).toEqual([file, true])
      }
    }
  })
})

describe('schemas/project.schema.json', () => {
  it.each(['quickstart', 'organisation'])('accepts the example %s', (name) => {
    expect(isProject(parse(readFileSync(`examples/${name}/svcsync.yaml`, 'utf8'))) || isProject.errors).toBe(true)
  })

  it('refuses unknown keys', () => {
    expect(isProject({ version: 1, manifests: ['m'], targets: {}, target: 't', guard: {} })).toBe(false)
  })
})
