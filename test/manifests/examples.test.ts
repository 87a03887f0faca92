// The examples that people learn from load without a problem, and carry places.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { identityOf, placeIn } from '../../src/core/model/declaration.ts'
import { formatPlace } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'

function loadExample(name: string) {
  const projectDir = resolve('examples', name)
  const { files } = findManifestFiles(projectDir, ['manifests'])
  const env = new Proxy({}, { get: (_, name) => (name === 'SVCSYNC_ALLOW_ENV' ? '*' : 'set') })
  return loadManifests({ files, kinds, variables: { erpServer: 'sql' }, env, projectDir, displayBase: projectDir })
}

describe('examples', () => {
  it.each([
    ['quickstart', 25],
    ['organisation', 2611],
  ])('%s', (name, count) => {
    const { declarations, problems } = loadExample(name)
    expect(problems).toEqual([])
    expect(declarations).toHaveLength(count)
    expect(new Set(declarations.map((each) => formatPlace(placeIn(each, [])))).size).toBe(count)
  })

  it.each(
    kinds.map(({ name }) => [name, `src/kinds/${name}/example.yaml`] as const).filter(([, file]) => existsSync(file)),
  )('of the kind %s in its folder', (name, file) => {
    const { declarations, problems } = loadManifests({
      files: [resolve(file)],
      kinds,
      variables: {},
      env: {},
      projectDir: '.',
      displayBase: '.',
    })
    expect(problems).toEqual([])
    expect(declarations.map(({ kind }) => kind.name)).toContain(name)
  })

  it('know their places', () => {
    const { declarations } = loadExample('quickstart')
    const form = declarations.find(({ kind }) => kind.name === 'form-type')
    if (form === undefined) throw new TypeError('the example has a form type')
    expect(identityOf(form)).toBe('Invoice')
    expect(form.database).toBe('main')
    expect(formatPlace(placeIn(form, ['privileges', 'Modify', 0]))).toBe('manifests/processes.yaml:32:24')
    expect(formatPlace(placeIn(form, ['privileges'], 'key'))).toBe('manifests/processes.yaml:31:13')
  })
})
