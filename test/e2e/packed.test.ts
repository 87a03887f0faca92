// The package as it is published: what the field's own checks say of it, and of which parts it says that it is made.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { originOf, withAbsoluteLinks } from '../../scripts/pack/published-parts.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const ofRelease = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/svcsync',
  GITHUB_REF_NAME: `v${version}`,
}

let dir: string
let tarball: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-packed-'))
  const env = { ...process.env, ...ofRelease }
  // As `npm run pack` does.
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/pack.ts', dir], { env, stdio: 'pipe' })
  tarball = join(dir, readdirSync(dir)[0] ?? '')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('is packed as publint and attw want it, and says where it comes from', async () => {
  const bytes = new Uint8Array(readFileSync(tarball))
  expect((await publint({ strict: true, pack: { tarball: bytes.buffer } })).messages).toEqual([])
  const packed = createPackageFromTarballData(bytes)
  const answer = await checkPackage(packed)
  expect(answer.types === false ? ['no types'] : answer.problems.map(({ kind }) => kind)).toEqual([])
  const read = (file: string) => packed.readFile(`/node_modules/svcsync/${file}`)
  const manifest = JSON.parse(read('package.json')) as object
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: 'git+https://github.com/acme/svcsync.git' },
    bugs: { url: 'https://github.com/acme/svcsync/issues' },
    homepage: 'https://github.com/acme/svcsync#readme',
  })
  expect(manifest).not.toHaveProperty('private')
  const pictures = [...read('README.md').matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, address]) => address)
  const raw = `https://github.com/acme/svcsync/raw/v${version}/docs/pictures`
  expect(pictures).toEqual([`${raw}/comment.png`, `${raw}/page.png`])
})

it('starts in an empty folder, without git, settings of npm, or a home that anybody has used', {
  timeout: 120_000,
}, () => {
  const [home, bin, project] = ['home', 'bin', 'project'].map((name) => join(dir, name)) as [string, string, string]
  for (const each of [home, bin, project]) mkdirSync(each)
  for (const name of ['npm', 'sh', 'env'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name))
  symlinkSync(process.execPath, join(bin, 'node'))
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: project, env: { HOME: home, PATH: bin }, encoding: 'utf8', stdio: 'pipe' })
  writeFileSync(join(project, 'package.json'), '{ "name": "newcomer", "version": "1.0.0" }')
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--save-dev', tarball)
  const svcsync = join(project, 'node_modules/.bin/svcsync')
  expect(run(svcsync, '--version')).toBe(`${version}\n`)
  run(svcsync, 'init')
  expect(run(svcsync, 'validate')).toContain('25 objects in 10 files are valid')
  expect(run('node', '--print', "typeof require('svcsync').planRun")).toBe('function\n')
})

it('is published in no other way: npm refuses a private package, and the release names repository and tag', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ private: true })
  const without = (name: keyof typeof ofRelease) => () => originOf(version, { ...ofRelease, [name]: undefined })
  expect(without('GITHUB_SERVER_URL')).toThrow('Set GITHUB_SERVER_URL')
  expect(without('GITHUB_REPOSITORY')).toThrow('Set GITHUB_REPOSITORY')
  expect(without('GITHUB_REF_NAME')).toThrow(`Set GITHUB_REF_NAME to v${version}`)
  expect(() => originOf(version, { ...ofRelease, GITHUB_REF_NAME: 'v9.9.9' })).toThrow('package.json')
})

it('leads from its pages to what it holds, and to the repository for all else', () => {
  const origin = originOf(version, ofRelease)
  const text = '![a](https://example.com/a.png) ![p](../p.png) [b](b.md#c) [d](../src/d.ts#e) [f](#g) [h](adr)'
  const at = `https://github.com/acme/svcsync`
  expect(withAbsoluteLinks(text, 'docs/a.md', new Set(['docs/b.md', 'docs/adr/1.md', 'p.png']), origin)).toBe(
    `![a](https://example.com/a.png) ![p](${at}/raw/v${version}/p.png) ` +
      `[b](b.md#c) [d](${at}/blob/v${version}/src/d.ts#e) [f](#g) [h](adr)`,
  )
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)))
  const root = '/node_modules/svcsync'
  const held = packed.listFiles(root).map((file) => file.slice(root.length + 1))
  const lost = held
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...packed.readFile(`${root}/${file}`).matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)]
        .map(([, link = '']) => posix.join(posix.dirname(file), link))
        .filter((path) => !held.some((each) => each === path || each.startsWith(`${path}/`)))
        .map((path) => `${file}: ${path}`),
    )
  expect(lost).toEqual([])
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
