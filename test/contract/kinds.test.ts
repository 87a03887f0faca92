// The contract of every kind: its samples go through their life on the embedded platform.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { page } from '../../src/core/model/capabilities/page.ts'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { kinds } from '../../src/kinds/index.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { samplesOf } from '../harness/samples.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

/** A manifest that holds one item of a kind, inside the items of the kinds that it stands in. */
function manifestOf(kind: Kind, item: JsonObject): string {
  const [section] = kind.sections
  if (section.within === undefined) return stringify({ database: 'main', [section.key]: [item] })
  const outer = kinds.find(({ name }) => name === section.within) as Kind
  return manifestOf(outer, { ...samplesOf(outer).minimal, [section.key]: [item] })
}

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({ tenant: sampleTenant, env: { SAMPLE_SECRET: 'a secret of the sample' } })
  })
  afterAll(() => workspace.close())

  const { minimal, full, changed, invalid } = samplesOf(kind)

  const converge = async (item: JsonObject): Promise<void> => {
    workspace.manifest(manifestOf(kind, item))
    const report = await workspace.apply()
    expect(report).toMatchObject({
      outcome: expect.stringMatching(/converged|nothing-to-do/),
      verified: { unequal: [] },
    })
    expect(await workspace.changes()).toEqual([])
    expect((await workspace.plan()).document.unreadable).toEqual([])
  }

  it('takes what is least', () => converge(minimal))
  it('takes all its fields', () => converge(full))

  it('is found without a declaration, and exported so that nothing is left to do', async () => {
    // Objects outside all lists are exported on request.
    const own = page.of(kind) === undefined ? [] : [`${kind.segment}/main/${full[kind.sections[0].identity]}`]
    const { files, leftOut } = await workspace.export({ extent: 'complete', only: own })
    expect(leftOut).toEqual([])
    workspace.manifest(files.map(({ text }) => text).join('---\n'))
    expect(workspace.open().declarations.map((declaration) => declaration.kind)).toContain(kind)
    expect(await workspace.changes()).toEqual([])
  })

  it('changes every field that can change', async () => {
    workspace.manifest(manifestOf(kind, changed))
    if (kind.requests.read !== undefined) expect(await workspace.changes()).toHaveLength(1)
    await converge(changed)
  })

  it('sends nothing when nothing differs', async () => {
    await workspace.control('DELETE', '/requests')
    expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
    const log = (await workspace.control('GET', '/requests')) as { requests: { method: string; path: string }[] }
    expect(log.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([])
  })

  it.runIf(kind.lifecycle === 'full')('is removed, and stays so', async () => {
    const [section] = kind.sections
    const names = kind.key?.fields ?? [section.identity]
    const named = Object.fromEntries(names.map((name) => [name, minimal[name]]))
    workspace.manifest(manifestOf(kind, { ...named, absent: true }))
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(await workspace.changes()).toEqual([])
  })

  it.each(invalid.map((item, index) => [index + 1, item] as const))('refuses invalid sample %i', (_index, item) => {
    workspace.manifest(manifestOf(kind, item))
    expect(workspace.open().problems.filter(({ severity }) => severity === 'error')).not.toEqual([])
  })
})
