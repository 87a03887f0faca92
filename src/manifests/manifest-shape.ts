// The shape of a manifest, put together from the sections of all kinds.
import { append, getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { Kind, Section } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { setsSchema } from './sets-schema.ts'
import { type Field, type MappingShape, mappingShapeOf } from './shape.ts'

interface ManifestShape {
  readonly document: MappingShape
  /** Other places of a key, in words: `an item of \`groups\``. Key → places. */
  readonly homes: ReadonlyMap<string, readonly string[]>
}

export const documentSchema: ObjectSchema = {
  type: 'object',
  fragments: true,
  properties: {
    database: {
      type: 'nameOrId',
      description: 'The content database of the objects in this document: a name from the project file, or a dbId.',
      examples: ['main'],
    },
    sets: setsSchema,
  },
}

const known = new WeakMap<readonly Kind[], ManifestShape>()

/** The shape of a document, worked out once: every target of a project is read by it. */
export function manifestShapeOf(kinds: readonly Kind[]): ManifestShape {
  return getOrInsert(known, kinds, composeShape)
}

/** The top-level sections of a document, each with those nested in its items. */
function composeShape(kinds: readonly Kind[]): ManifestShape {
  const homes = new Map<string, string[]>()
  const isAt = (key: string, home: string) => {
    if (!homes.get(key)?.includes(home)) append(homes, key, home)
  }
  const top = 'the top of a manifest'

  const sectionsWithin = (container: string | undefined, home: string, path: string): Field[] => {
    const inside = kinds.flatMap((kind) =>
      kind.sections.filter(({ within }) => within === container).map((section) => ({ kind, section })),
    )
    return inside.map(({ kind, section }): Field => {
      isAt(section.key, home)
      const itemHome = `an item of \`${path}${section.key}\``
      for (const [key, property] of Object.entries(section.schema.properties)) {
        isAt(key, itemHome)
        // Parts for which kinds have their own words, such as the levels of privileges.
        const parts = property.collection !== undefined && property.type === 'object' ? property.properties : {}
        for (const part of Object.keys(parts)) isAt(`${key}.${part}`, `\`${path}${section.key}\``)
      }
      const nested = section.partial ? [] : sectionsWithin(kind.name, itemHome, `${path}${section.key}.`)
      const items = mappingShapeOf(sectionSchemaOf(section), nested, { kind, section })
      const shape = { type: 'list', nullable: true, items, minItems: 0, ofDeclarations: true } as const
      return { name: section.key, shape, apart: true }
    })
  }

  const sections = sectionsWithin(undefined, top, '')
  for (const key of Object.keys(documentSchema.properties)) isAt(key, top)
  const document = mappingShapeOf(documentSchema, sections)
  return { document, homes }
}

/** With `unmanaged`, where there is anything that an item need not say. */
export function sectionSchemaOf({ schema, partial }: Section): ObjectSchema {
  const paths = partial === true ? [] : pathsOf(schema)
  if (paths.length === 0) return schema
  return {
    ...schema,
    properties: {
      ...schema.properties,
      unmanaged: {
        type: 'array',
        description:
          'In overrides: declared fields that svcsync does not manage in this target. ' +
          'A dot separates parts of a field.',
        items: { type: 'string', enum: paths },
      },
    },
  }
}

/** The optional parts of an item: fields, and the parts of mappings. */
function pathsOf({ properties, required = [] }: ObjectSchema, before = ''): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (property.identity || property.directive || (before === '' && required.includes(name))) return []
    const path = `${before}${name}`
    return [path, ...(property.type === 'object' ? pathsOf(property, `${path}.`) : [])]
  })
}
