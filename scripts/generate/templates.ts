// The files that `svcsync init` writes, taken from the examples, so that there is no second copy to go stale.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '../../src/core/model/kind.ts'
import { formatText } from '../../src/format/format-text.ts'
import { manifestShapeOf } from '../../src/manifests/manifest-shape.ts'

const quickstart = 'examples/quickstart'
const pipelines = 'src/scaffold/ci'
const policies = 'examples/policies'

/** Source of `src/scaffold/generated/templates.ts`. Throws where an example has no canonical layout. */
export function templatesSource(kinds: readonly Kind[]): string {
  const templates: Record<string, string> = {}
  templates['svcsync.yaml'] = installed(
    read(quickstart, 'svcsync.yaml'),
    '../../schemas/',
    'node_modules/svcsync/schemas/',
  )
  for (const file of ['.env.example', 'tenant.yaml']) templates[file] = read(quickstart, file)
  for (const file of readdirSync(join(quickstart, 'manifests')).sort()) {
    templates[`manifests/${file}`] = manifest(read(quickstart, 'manifests', file), file, kinds)
  }
  const ofCi = readdirSync(pipelines).flatMap((folder) =>
    readdirSync(join(pipelines, folder)).map((file) => [`${folder}/${file}`, read(pipelines, folder, file)] as const),
  )
  return `// Generated from ${quickstart}, ${pipelines} and ${policies} by \`npm run generate\`: do not edit.

/** Path inside the new project → content. */
export const templates: Readonly<Record<string, string>> = ${JSON.stringify(templates, undefined, 2)}

/** Templates of pipelines, by folder and name: see ci-files.ts. */
export const ciTemplates: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(ofCi.sort()), undefined, 2)}

/** Policies in comments, for a project whose objects nobody has held to them yet. */
export const policyExamples = ${JSON.stringify(policyExamples())}
`
}

/** One file of all, nothing of which counts until its marks are taken away. */
function policyExamples(): string {
  const files = readdirSync(policies).filter((file) => file.endsWith('.yaml'))
  const bodies = files.sort().map((file, index) => {
    const [schema, key, ...lines] = read(policies, file).trimEnd().split('\n')
    if (!schema?.startsWith('# yaml-language-server') || key !== 'policies:')
      throw new TypeError(`${file} begins otherwise`)
    return [...(index === 0 ? [] : ['']), ...lines].map((line) => (line === '' ? '#' : `#${line}`)).join('\n')
  })
  return [
    '# yaml-language-server: $schema=../node_modules/svcsync/schemas/policies.schema.json',
    '',
    '# Rules to begin with: remove the first `#` of the lines of one, and the `[]`. ' +
      '`level: warn` says it and lets it pass.',
    'policies: []',
    ...bodies,
    '',
  ].join('\n')
}

/** In the layout of `svcsync fmt`, and with the schema where a project finds it that has svcsync installed. */
function manifest(text: string, file: string, kinds: readonly Kind[]): string {
  const moved = installed(text, '../../../schemas/', '../node_modules/svcsync/schemas/')
  const formatted = formatText(moved, manifestShapeOf(kinds).document)
  if ('refused' in formatted) throw new TypeError(`${file} ${formatted.refused}`)
  return formatted.text
}

/** Editors find the schema where a project has svcsync installed. Throws where an example names none. */
function installed(text: string, here: string, there: string): string {
  const [before, after] = [`$schema=${here}`, `$schema=${there}`]
  if (!text.includes(before)) throw new TypeError(`An example does not name its schema: ${before}`)
  return text.replace(before, after)
}

function read(...parts: readonly string[]): string {
  return readFileSync(join(...parts), 'utf8').replaceAll('\r\n', '\n')
}
