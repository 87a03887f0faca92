// JSON values as TypeScript types.

type JsonScalar = string | number | boolean | null
export type Json = JsonScalar | JsonObject | readonly Json[]
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
