// The schemas of documents, for the check of those that come from files.
import { readFileSync } from 'node:fs'
import { isJsonObject, type Json } from '../../src/core/model/json.ts'

const names = ['plan', 'report', 'journal'].map((name) => `${name}.schema.json`)

/** Source of `src/core/plan/generated/document-schemas.ts`. */
export function documentSchemasSource(): string {
  const schemas = names.map((name) => {
    const schema = bare(JSON.parse(readFileSync(`schemas/${name}`, 'utf8')) as Json)
    return `  ${JSON.stringify(name)}: ${JSON.stringify(schema)},\n`
  })
  return `// Generated from schemas by \`npm run generate\`: do not edit.
import type { Json } from '../../model/json.ts'

/** By the names of their files. */
export const documentSchemas: Readonly<Record<string, Json>> = {
${schemas.join('')}}
`
}

/** Without what is for readers. A property can be called `description`, and then it is no text. */
function bare(part: Json): Json {
  if (Array.isArray(part)) return part.map(bare)
  if (!isJsonObject(part)) return part
  const entries = Object.entries(part).filter(
    ([key, value]) => !(typeof value === 'string' && /^(?:description|title|\$schema)$/.test(key)),
  )
  return Object.fromEntries(entries.map(([key, value]) => [key, bare(value as Json)]))
}
