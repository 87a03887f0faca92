// The licences of what is bundled: most of them ask to go along with every copy.
import { readdirSync, readFileSync } from 'node:fs'

/** `inputs`: the files that went into the bundle. */
export function thirdPartyLicenses(inputs: readonly string[]): string {
  const names = new Set(inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []))
  return [...names]
    .sort()
    .map((name) => {
      const folder = `node_modules/${name}`
      const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<string, string>
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? `Licence: ${license}` : readFileSync(`${folder}/${file}`, 'utf8').trim()
      return `${name} ${version}\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
