// Each folder of `src` is a package: its exports are its border, and its dependencies are what the compiler lets it
// see.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly name: string
  readonly private: boolean
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const scope = '@svcsync/'
const names = readdirSync('src', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T

describe.each(names)('the package %s', (name) => {
  const manifest = read<Manifest>(`src/${name}/package.json`)
  const needed = Object.keys(manifest.dependencies ?? {}).flatMap((one) =>
    one.startsWith(scope) ? [one.slice(scope.length)] : [],
  )

  it('is private, has its name and a page', () => {
    expect(manifest).toMatchObject({ name: `${scope}${name}`, private: true })
    expect(readFileSync(`src/${name}/README.md`, 'utf8').split('\n').length).toBeLessThan(60)
  })

  it('shows the compiler the packages that it depends on, and no others', () => {
    const { references } = read<{ references: readonly { readonly path: string }[] }>(`src/${name}/tsconfig.json`)
    expect(references.map(({ path }) => path.slice('../'.length))).toEqual(needed)
  })

  it('exports files that exist', () => {
    const missing = Object.values(manifest.exports).filter((path) => !existsSync(`src/${name}/${path}`))
    expect(missing).toEqual([])
  })
})

it('the compiler checks every package', () => {
  const { references } = read<{ references: readonly { readonly path: string }[] }>('tsconfig.json')
  expect(references.map(({ path }) => path).sort()).toEqual(names.map((name) => `src/${name}`).sort())
})
