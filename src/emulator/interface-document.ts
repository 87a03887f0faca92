// The interface as an OpenAPI document, from the routes: what the emulator accepts and answers is what svcsync knows of the
// platform.
import { isJsonObject, type Json, type JsonObject } from '../core/model/json.ts'
import { defaultBehaviour } from './behaviour.ts'
import type { Route } from './http/route.ts'
import { documentedPath, prefixOf } from './http/run-route.ts'
import { appContextScopes } from './http/scopes.ts'
import { tokenPath } from './http/token-endpoint.ts'
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
  return {
    openapi: '3.1.0',
    info: {
      title: 'Svc workflow platform',
      version,
      description:
        "The part of the platform's interface that svcsync knows, in neutral names. Generated from the routes of the emulator.",
    },
    paths: sorted(paths),
    components: {
      schemas: sorted(schemas),
      securitySchemes: {
        application: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: tokenPath,
              scopes: Object.fromEntries(appContextScopes.map((scope) => [scope, ''])),
            },
          },
        },
      },
    },
  }
}

function operation(route: Route, version: string, schemas: Components): JsonObject {
  const { body, answer, query = {} } = route
  const needed = typeof route.scopes === 'function' ? route.scopes(defaultBehaviour) : route.scopes
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: name === 'dbId' ? 'integer' : 'string' },
  }))
  const inQuery = Object.entries(query).map(([name, need]) => ({
    name,
    in: 'query',
    required: need === 'required',
    schema: { type: name === 'page' || name === 'size' ? 'integer' : 'string' },
  }))
  const content = (schema: JsonObject) => ({ 'application/json': { schema: published(schema, version, schemas) } })
  return {
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    // One of them is enough. Without any: whatever token.
    security: needed.length === 0 ? [{ application: [] }] : needed.map((scope) => ({ application: [scope] })),
    ...(body && { requestBody: { required: true, content: content(body.schema) } }),
    responses: {
      200: { description: 'Done.', ...(answer && { content: content(answer.schema) }) },
      default: {
        description: 'Refused.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

/** Without what came later than this version; what has a title stands among the components. */
function published(schema: JsonObject, version: string, schemas: Components): JsonObject {
  const { title, [sinceMark]: _, ...rest } = schema
  const own: Record<string, Json | undefined> = { ...rest }
  if (isJsonObject(rest.properties)) {
    const offered = Object.entries(rest.properties).filter(
      ([, each]) => isJsonObject(each) && (each[sinceMark] === undefined || version === each[sinceMark]),
    )
    own.properties = Object.fromEntries(
      offered.map(([key, each]) => [key, published(each as JsonObject, version, schemas)]),
    )
  }
  if (isJsonObject(rest.items)) own.items = published(rest.items, version, schemas)
  if (typeof title !== 'string') return own
  schemas[title] = own
  return { $ref: `#/components/schemas/${title}` }
}
