// The examples of pipelines: what `svcsync init --ci` writes for usual projects, so that there is no second copy to go
// stale.
import type { CiSettings } from '../../src/scaffold/ci-files.ts'

const files: Readonly<Record<string, readonly (readonly [file: string, template: string])[]>> = {
  github: ['plan.yml', 'apply.yml', 'drift.yml', 'due.yml', 'access-review.yml'].map((file) => [
    file,
    `github/${file}`,
  ]),
  'github-promotion': [
    ['apply.yml', 'github/apply-promotion.yml'],
    ['apply-target.yml', 'github/apply.yml'],
  ],
  gitlab: ['.gitlab-ci.yml', 'svcsync.yml'].map((file) => [file, `gitlab/${file}`]),
  azure: ['azure-pipelines.yml', 'svcsync.yml'].map((file) => [file, `azure/${file}`]),
}

/** Path of each example → what it holds. */
export function ciExamples(): Record<string, () => Promise<string>> {
  return Object.fromEntries(
    Object.entries(files).flatMap(([folder, all]) =>
      all.map(([file, template]) => [`examples/ci/${folder}/${file}`, () => example(folder, template)]),
    ),
  )
}

/** Loaded when the templates have been written. */
async function example(folder: string, template: string): Promise<string> {
  const { renderCi, defaultCi } = await import('../../src/scaffold/ci-files.ts')
  const usual = defaultCi('prod')
  const promoted: CiSettings = {
    ...usual,
    ...{ targets: ['test', 'prod'], ledger: true, promotion: { from: 'test', to: ['prod'] } },
  }
  const forge = template.split('/')[0] as CiSettings['forge']
  return renderCi(template, folder === 'github-promotion' ? promoted : { ...usual, forge })
}
