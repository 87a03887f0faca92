// The part of docs/emulator.md that follows from the emulator: its switches and its endpoints.
import { readFileSync } from 'node:fs'
import { switches } from '../../src/emulator/behaviour.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { type Row, replaced, table } from './page-part.ts'

export function emulatorPage(): string {
  const switchRows = Object.entries(switches).map(([name, { values, says }]): Row => [`\`${name}\``, values, says])
  return replaced(readFileSync('docs/emulator.md', 'utf8'), [
    table(['switch', 'values, the default first', 'about'], switchRows),
    '## All endpoints',
    'Below `/api/data/v5.0` and `/api/data/v6.0`; 6.0 and 5.0: in that version alone.',
    table(['path', 'methods'], endpointRows()),
  ])
}

function endpointRows(): Row[] {
  const methods = new Map<string, string[]>()
  const [in5, in6] = (['5.0', '6.0'] as const).map(
    (version) => new Set(endpointsOf(interfaceDocument(version).paths as Record<string, object>)),
  ) as [Set<string>, Set<string>]
  for (const endpoint of [...new Set([...in5, ...in6])].sort()) {
    const [path = '', method = ''] = endpoint.split(' ')
    const only = in5.has(endpoint) ? (in6.has(endpoint) ? '' : ' (5.0)') : ' (6.0)'
    methods.set(path, [...(methods.get(path) ?? []), `${method}${only}`])
  }
  return [...methods].map(([path, all]): Row => [`\`${path}\``, all.join(', ')])
}

/** Each as `path METHOD`, without the version. */
export function endpointsOf(paths: Readonly<Record<string, object>>): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${path.replace(/^\/api\/data\/v[^/]+/, '')} ${method.toUpperCase()}`),
  )
}
