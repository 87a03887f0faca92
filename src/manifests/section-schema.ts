// The shape of an item as it is written: what its kind says, and what every kind's items may hold in an override.
import type { Section } from '../core/model/kind.ts'
import type { ObjectSchema } from '../core/model/schema.ts'
import type { ExtendedObjectSchema } from './extended-schema.ts'

/** With `unmanaged`, where there is anything that an item need not say. */
export function sectionSchemaOf({ schema, partial }: Section): ExtendedObjectSchema {
  const paths = partial === true ? [] : pathsOf(schema)
  if (paths.length === 0) return schema
  return {
    ...schema,
    properties: {
      ...schema.properties,
      unmanaged: {
        type: 'array',
        description:
          'In an override: fields that the manifests say and that this target leaves as they are. Parts of a field by a dot.',
        items: { type: 'string', enum: paths },
      },
    },
  }
}

/** What an item may leave out: fields, and the parts of those that are mappings. */
function pathsOf({ properties, required = [] }: ObjectSchema, before = ''): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (property.identity || property.directive || (before === '' && required.includes(name))) return []
    const path = `${before}${name}`
    return [path, ...(property.type === 'object' ? pathsOf(property, `${path}.`) : [])]
  })
}
