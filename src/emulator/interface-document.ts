// The interface as an OpenAPI document, from the routes: what svcsync knows of the platform.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { defaultBehaviour } from './behaviour.ts'
import { documentedPath, prefixOf, type Route } from './http/route.ts'
import { appContextScopes } from './http/scopes.ts'
import { tokenPath } from './http/tokens.ts'
import { routes } from './routes/index.ts'
import { sinceMark } from './shape/shape.ts'

type Components = Record<string, JsonObject>

/** OpenAPI 3.1 of one version: the part of the interface that svcsync, or its emulator, has to do with. */
export function interfaceDocument(version: '5.0' | '6.0'): JsonObject {
  const schemas: Components = {
    Error: {
      type: 'object',
      properties: { type: { type: 'string' }, description: { type: 'string' }, errorGuid: { type: 'string' } },
      required: ['type', 'description'],
    },
  }
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    if (route.only !== undefined && route.only !== version) continue
    const path = `${prefixOf(version)}${documentedPath(route.path)}`
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operation(route, version, schemas)
  }
  const sorted = <T>(of: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)))
  const scopes = Object.fromEntries(appContextScopes.map((scope) => [scope, '']))
  const description =
    "The part of the platform's interface that svcsync knows, in neutral names. Generated from the emulator's routes."
  return {
    openapi: '3.1.0',
    info: { title: 'Svc workflow platform', version, description },
    paths: sorted(paths),
    components: {
      schemas: sorted(schemas),
      securitySchemes: {
        application: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: tokenPath, scopes } } },
      },
    },
  }
}

function operation(route: Route, version: string, schemas: Components): JsonObject {
  const { body, answer, query = {} } = route
  const needed = typeof route.scopes === 'function' ? route.scopes(defaultBehaviour) : route.scopes
  const numbers = ['dbId', 'page', 'size']
  const parameter = (at: 'path' | 'query', name: string, required: boolean) => {
    return { name, in: at, required, schema: { type: numbers.includes(name) ? 'integer' : 'string' } }
  }
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => parameter('path', name, true))
  const inQuery = Object.entries(query).map(([name, need]) => parameter('query', name, need === 'required'))
  const content = (schema: JsonObject) => ({ 'application/json': { schema: publishSchema(schema, version, schemas) } })
  return {
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    // One of them is enough. Without any: whatever token.
    security: needed.length === 0 ? [{ application: [] }] : needed.map((scope) => ({ application: [scope] })),
    ...(body && { requestBody: { required: true, content: content(body.schema) } }),
    responses: {
      200: { description: 'Done.', ...(answer && { content: content(answer.schema) }) },
      default: { description: 'Refused.', content: { 'application/json': { schema: refTo('Error') } } },
    },
  }
}

/** Without what came later than this version; what has a title stands among the components. */
function publishSchema(schema: JsonObject, version: string, schemas: Components): JsonObject {
  const { title, [sinceMark]: _, ...rest } = schema
  const own: Record<string, Json | undefined> = { ...rest }
  if (isJsonObject(rest.properties)) {
    const isOffered = (each: Json | undefined): each is JsonObject =>
      isJsonObject(each) && (each[sinceMark] ?? version) === version
    const offered = Object.entries(rest.properties).flatMap(([key, each]) =>
      isOffered(each) ? [[key, publishSchema(each, version, schemas)]] : [],
    )
    own.properties = Object.fromEntries(offered)
  }
  if (isJsonObject(rest.items)) own.items = publishSchema(rest.items, version, schemas)
  if (typeof title !== 'string') return own
  schemas[title] = own
  return refTo(title)
}

function refTo(title: string): JsonObject {
  return { $ref: `#/components/schemas/${title}` }
}
