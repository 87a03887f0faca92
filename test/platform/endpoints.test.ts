// The table of endpoints says the same as the emulator's routes, and finds the endpoint of a request.
import { expect, it } from 'vitest'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { endpointOf, endpoints } from '../../src/platform/endpoints.ts'

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
}

const paths = interfaceDocument('6.0').paths as unknown as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

it.each(operations.filter(({ path }) => path.startsWith('/api/data/v6.0/')))(
  'knows $method $path',
  ({ method, path, operation }) => {
    const endpoint = endpointOf(method, path.replace('/api/data/v6.0', ''))
    expect(endpoint, 'stands in the table').toBeDefined()
    const scopes = operation.security.flatMap(({ application = [] }) => application)
    // Installations differ in which of two families opens the constants of a process: the emulator has one by default.
    // Nor has it scopes for a single process.
    const other = (scope: string): boolean =>
      /^Admin\.ProcessConstants\.|<ProcGuid>$/.test(scope) && !scopes.includes(scope)
    expect((endpoint?.scopes ?? []).filter((scope) => !other(scope)).sort()).toEqual(scopes.sort())
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
    const own = endpoint?.query.map((name) => name.replace('!', '')) ?? []
    expect(own).toEqual(expect.arrayContaining(query.map(({ name }) => name)))
    for (const { name, required } of query) if (required) expect(endpoint?.query).toContain(`${name}!`)
  },
)

it('has each endpoint once, whole', () => {
  expect(new Set(endpoints.map(({ method, path }) => `${method} ${path}`)).size).toBe(endpoints.length)
  for (const { method, path, does, scopes } of endpoints) {
    expect(['GET', 'POST', 'PATCH', 'DELETE']).toContain(method)
    expect(path).toMatch(/^\/[\w{}/]+$/)
    expect(does).not.toBe('')
    expect(scopes).toBeDefined()
  }
  const open = endpoints.filter(({ scopes }) => scopes.length === 0)
  expect(open.map(({ does }) => does)).toEqual(['read a form type', 'read a report', 'read who the token speaks for'])
})

it('takes what is written out before an id', () => {
  expect(endpointOf('GET', '/admin/licenses/summary')?.does).toContain('count')
  expect(endpointOf('GET', '/db/1/elements/new')?.does).toContain('template of a new')
  expect(endpointOf('GET', '/db/1/elements/7')?.does).toBe('read an element')
  expect(endpointOf('GET', '/nowhere')).toBeUndefined()
})
