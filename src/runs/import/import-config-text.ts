// A configuration of an import to begin with: all fields with what they mean, and none that changes what is there.
import type { Schema } from '@svcsync/core/model/schema.ts'
import { inlineText } from '@svcsync/core/model/yaml-text.ts'
import { importConfigSchema, supersededOptions } from './import-config.ts'

const onlyNew = new Set(['importAllNewApplications', 'importAllNewProcesses'])

const lead =
  '# What `svcsync import` takes of a package: new applications and processes. Nothing that is there changes,\n' +
  '# until a line below says so.\n'

/** `databases`: the names of the target. Lists are comments, since an empty one means nothing. */
export function importConfigText(databases: readonly string[]): string {
  const fields = Object.entries(importConfigSchema.properties).map(([name, schema]) => {
    const replaced = supersededOptions[name]
    const instead = replaced === undefined ? '' : ` In place of ${replaced.join(', ')}.`
    const line = name === 'database' ? databaseLine(databases) : lineOf(name, schema)
    return `# ${schema.description}${instead}\n${line}\n`
  })
  return [lead, ...fields].join('\n')
}

/** Of several, somebody has to choose one. */
function databaseLine(databases: readonly string[]): string {
  const [first = 'NAME', second, ...others] = databases.map(inlineText)
  return second === undefined ? `database: ${first}` : `# database: ${[first, second, ...others].join(' | ')}`
}

const lineOf = (name: string, schema: Schema): string =>
  schema.type === 'boolean' ? `${name}: ${onlyNew.has(name)}` : `# ${name}: ${exampleOf(schema)}`

function exampleOf(schema: Schema): string {
  if (schema.type === 'array') return `[${exampleOf(schema.items)}]`
  if (schema.type === 'boolean') return 'false'
  if (schema.type !== 'object') return '…'
  const fields = Object.entries(schema.properties).map(([name, each]) => `${name}: ${exampleOf(each)}`)
  return `{ ${fields.join(', ')} }`
}
