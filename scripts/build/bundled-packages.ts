// Collects the licences of bundled packages, since most demand their text in every copy.
import { readdirSync, readFileSync } from 'node:fs'

interface BundledPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  readonly folder: string
}

/** `inputs`: the files that went into the bundle, by their paths below the project. */
export function bundledPackages(inputs: readonly string[]): readonly BundledPackage[] {
  const folders = new Set(
    inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []),
  )
  return [...folders].sort().map((folder) => {
    const found = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<string, unknown>
    const { name, version, license } = found
    if (typeof name !== 'string' || typeof version !== 'string' || typeof license !== 'string') {
      throw new Error(`${folder}/package.json does not state name, version and licence.`)
    }
    return { name, version, license, folder }
  })
}

export function thirdPartyLicenses(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, folder }) => {
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? `Licence: ${license}` : readFileSync(`${folder}/${file}`, 'utf8').trim()
      return `${name} ${version}\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * A bill of materials in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/), `version` being that of svcsync. It has
 * no time and no serial number, so that the same sources give the same bytes.
 */
export function sbom(version: string, packages: readonly BundledPackage[]): string {
  const own = packageUrl('svcsync', version)
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: 'svcsync',
        version,
        purl: own,
        licenses: [{ expression: 'Apache-2.0' }],
      },
    },
    components: packages.map((each) => ({
      type: 'library',
      'bom-ref': packageUrl(each.name, each.version),
      name: each.name,
      version: each.version,
      purl: packageUrl(each.name, each.version),
      licenses: [{ expression: each.license }],
    })),
    dependencies: [{ ref: own, dependsOn: packages.map((each) => packageUrl(each.name, each.version)) }],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** As https://github.com/package-url/purl-spec says: the @ of a scope is escaped. */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
