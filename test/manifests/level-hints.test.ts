// A level of privileges that something else has is told so, rather than that nobody knows it.
import { expect, it } from 'vitest'
import { load } from './manifest-fixture.ts'

const hintOf = (yaml: string) => load(yaml).problems[0]?.hint

it.each([
  ['processes: [{ process: p, privileges: { PortalDesigner: [] } }]', '`PortalDesigner` is for `applications`. Known'],
  [
    'applications: [{ application: a, privileges: { Start: [] } }]',
    '`Start` is for `processes` and `processes.workflows.',
  ],
  ['processes: [{ process: p, privileges: { Modfy: [] } }]', 'Did you mean `Modify`?'],
  ['processes: [{ process: p, privileges: { ModifyWithoutDeleting: [] } }]', 'Known keys: `Administrator`, `Modify`'],
])('%s', (yaml, hint) => {
  expect(hintOf(yaml)).toContain(hint)
})
