// The package as it is published: what the field's own checks say of it, and of which parts it says that it is made.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { expect, it } from 'vitest'

it('is packed as publint and attw want it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-packed-'))
  try {
    const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--offline', '--pack-destination', dir], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    const name = packed.trim()
    const tarball = new Uint8Array(readFileSync(join(dir, name)))
    expect((await publint({ strict: true, pack: { tarball: tarball.buffer } })).messages).toEqual([])
    const answer = await checkPackage(createPackageFromTarballData(tarball))
    // An ES module is all there is: each Node that svcsync runs on takes it by `require`, too (library.test.ts).
    const found = answer.types === false ? ['no types'] : answer.problems.map(({ kind }) => kind)
    expect(found).toEqual(['CJSResolvesToESM'])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

it('lists each package that is bundled, with the version of the lockfile', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly license?: string }>>
  }
  const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8')) as {
    readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[]
  }
  const licenses = readFileSync('dist/THIRD_PARTY_LICENSES.txt', 'utf8')
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['undici', 'js-yaml', '@bufbuild/re2']))
  for (const { name, version, purl } of components) {
    expect(packages[`node_modules/${name}`]).toMatchObject({ version })
    expect(licenses).toContain(`${name} ${version}\n`)
    expect(decodeURIComponent(purl)).toBe(`pkg:npm/${name}@${version}`)
  }
})
