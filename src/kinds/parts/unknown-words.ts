// Words in manifests that svcsync does not know: later releases of the platform have more of some.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Finding } from '@svcsync/core/model/kind.ts'
import { nearMisses, quoted } from '@svcsync/core/model/near-misses.ts'
import type { Schema } from '@svcsync/core/model/schema.ts'

/** A warning for each: only a plan can tell whether the installation has it. */
export function reviewWords(schema: Schema, value: Json | undefined, path: Finding['path'] = []): Finding[] {
  if (schema.type === 'object' && isJsonObject(value))
    return Object.entries(schema.properties).flatMap(([key, part]) => reviewWords(part, value[key], [...path, key]))
  if (schema.type === 'array' && Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => reviewWords(schema.items, item, [...path, index]))
  if (schema.type !== 'string' || !schema.grows || typeof value !== 'string') return []
  if (schema.enum?.includes(value) !== false || schema.aliases?.[value] !== undefined) return []
  const near = nearMisses(value, schema.enum)
  const meant = near.length > 0 ? `Did you mean ${quoted(near, ' or ')}? ` : ''
  return [
    {
      code: 'SVC1351',
      severity: 'warning',
      message: `svcsync does not know the word \`${value}\``,
      hint: `${meant}A plan takes it if the installation shows it. Known: ${quoted(schema.enum)}.`,
      path,
    },
  ]
}
