// Credentials that are sent anew, since somebody says so: nothing that the platform returns shows which it has.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { applyUntilKilled, resume, undo } from '../harness/journals.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type RunOptions, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

interface Written {
  readonly common?: string
  readonly prod?: string
  readonly server?: string
}
const line = (rotation: string | undefined): string => (rotation === undefined ? '' : `, rotation: ${rotation}`)
const manifest = ({ common, prod, server = 'prod01' }: Written = {}) => `database: main
connections:
  - name: ERP
    type: SQL
    sql:
      common: { server: s, database: d, integratedAuthentication: false, user: u, password: "\${file:common.txt}"${line(common)} }
      test: { server: t }
      prod: { server: ${server}, database: p, integratedAuthentication: false, user: v, password: "\${file:prod.txt}"${line(prod)} }
`
const erp = 'connection/main/ERP'
const rotate = [`${erp}#prod`]

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant })
})
afterAll(() => workspace.close())

beforeEach(async () => {
  workspace.emulator.load(sampleTenant)
  workspace.write('manifests/common.txt', 'first of common')
  workspace.write('manifests/prod.txt', 'first of prod')
  workspace.manifest(manifest())
  await workspace.apply()
  workspace.write('manifests/common.txt', 'second of common')
  workspace.write('manifests/prod.txt', 'second of prod')
  await workspace.control('DELETE', '/requests')
})

/** The credentials of an environment on the platform. */
async function kept(environment: 'common' | 'prod'): Promise<unknown> {
  const { databases } = (await workspace.control('GET', '/state')) as {
    databases: { connections: { name: string; sql: Record<string, { password: unknown }> }[] }[]
  }
  const found = databases.flatMap(({ connections }) => connections).find(({ name }) => name === 'ERP')
  return found?.sql[environment]?.password
}

const environmentsSent = (): string[][] =>
  writesOf(workspace.emulator).map(({ body }) => Object.keys((body as { sql: object }).sql))

const shown = async (run: RunOptions): Promise<string> =>
  renderPlanText((await workspace.plan(run)).document, { colour: false, width: 100 })

describe('a rotation that the command asks for', () => {
  it('is a step with a line of its own, and sends the credentials of that environment alone', async () => {
    const [common, prod] = [await kept('common'), await kept('prod')]
    expect(await workspace.changes()).toEqual([])
    const { document } = await workspace.plan({ rotate })
    expect(document.changes).toMatchObject([
      {
        address: erp,
        action: 'update',
        differences: [{ path: 'sql.prod.rotation', rotates: true, place: { line: 8 } }],
      },
    ])
    expect(document.steps).toMatchObject([{ verb: 'update', rotates: ['sql.prod'] }])
    expect(JSON.stringify(document)).not.toContain('second')
    expect(documentValidator(closedPlanSchema)(JSON.parse(JSON.stringify(document)))).toBe(true)
    expect(await shown({ rotate })).toContain('sql.prod  rotated, credentials are sent')
    expect(renderPlanMarkdown(document)).toContain('rotated, credentials are sent')
    expect(await workspace.apply({ rotate })).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(environmentsSent()).toEqual([['prod']])
    expect(await kept('prod')).not.toEqual(prod)
    expect(await kept('common')).toEqual(common)
    expect(await workspace.changes()).toEqual([])
  })

  it('goes along with another change, and may be of every environment with credentials, several times', async () => {
    workspace.manifest(manifest({ server: 'prod02' }))
    const { document } = await workspace.plan({ rotate: [erp, ...rotate, 'connection/*/E*#common'] })
    expect(document.changes[0]?.differences.map(({ path }) => path)).toEqual([
      'sql.prod.server',
      'sql.common.rotation',
      'sql.prod.rotation',
    ])
    expect(document.steps).toMatchObject([{ rotates: ['sql.common', 'sql.prod'] }])
  })

  it.each([
    ['connection/main/ERQ#prod', 'Did you mean `connection/main/ERP`?'],
    [`${erp}#test`, 'They are declared in `common`, `prod`.'],
    [`${erp}#porod`, 'They are declared in `common`, `prod`.'],
    ['group/x@example.com', 'Addresses are like'],
  ])('is an error where it selects nothing: %s', async (name, hint) => {
    const error: unknown = await workspace.plan({ rotate: [...rotate, name] }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'SVC2250', hint: expect.stringContaining(hint) })
  })

  it('is a part of the plan that is saved, and of its digest', async () => {
    const [without, text] = [(await workspace.plan()).document, await savedText(workspace, { rotate })]
    expect(parsed(text).digest).not.toBe(without.digest)
    const prod = await kept('prod')
    expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(await kept('prod')).not.toEqual(prod)
  })
})

describe('a rotation in the manifest', () => {
  const since = (before: Written, now: Written) => {
    workspace.baseManifest(manifest(before))
    workspace.manifest(manifest(now))
    return { base: 'folder' } as const
  }

  it('does nothing without a base, and is not sent', async () => {
    workspace.manifest(manifest({ prod: '3', common: '2026-11-22' }))
    expect(await workspace.changes()).toEqual([])
    workspace.manifest(manifest({ prod: '3', server: 'prod02' }))
    expect(JSON.stringify((await workspace.plan()).document.steps)).not.toContain('rotation')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect(JSON.stringify(writesOf(workspace.emulator))).not.toContain('rotation')
  })

  it('sends the credentials where it differs from the base, and says from what to what', async () => {
    const run = since({ prod: '2', common: '7' }, { prod: '3', common: '7' })
    expect(await shown(run)).toContain('sql.prod  rotated: 2 → 3, credentials are sent')
    const prod = await kept('prod')
    expect(await workspace.apply(run)).toMatchObject({ outcome: 'converged' })
    expect(environmentsSent()).toEqual([['prod']])
    expect(await kept('prod')).not.toEqual(prod)
    const { changes } = (await workspace.plan({ ...run, rotate: [erp] })).document
    expect(changes[0]?.differences.map(({ path, cause }) => `${path} ${cause}`)).toEqual([
      'sql.common.rotation declared',
      'sql.prod.rotation declared',
    ])
    expect(await shown(since({}, { prod: '2026-11-22' }))).toContain('rotated: 2026-11-22, credentials are sent')
    const released = (await workspace.plan(since({ prod: '3' }, {}))).document
    expect(released).toMatchObject({ changes: [], noLongerDeclared: [] })
    expect((await workspace.plan(since({ prod: '3' }, { prod: '3' }))).document.changes).toEqual([])
  })

  it('is another plan with each value, and a saved one carries on with its own', async () => {
    const digests = [
      (await workspace.plan(since({ prod: '2' }, { prod: '3' }))).document.digest,
      (await workspace.plan(since({ prod: '1' }, { prod: '3' }))).document.digest,
      (await workspace.plan(since({ prod: '2' }, { prod: '4' }))).document.digest,
    ]
    expect(new Set(digests).size).toBe(3)
    const text = await savedText(workspace, since({ prod: '2' }, { prod: '3' }))
    workspace.manifest('')
    expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
  })

  it('is not due: what time brings about sends no credentials', async () => {
    const run = { ...since({ prod: '2' }, { prod: '3' }), due: {} }
    const { document } = await workspace.plan(run)
    expect(document).toMatchObject({ changes: [], steps: [], due: { pending: [erp] } })
    expect((await workspace.apply(run)).outcome).toBe('nothing-to-do')
    expect(writesOf(workspace.emulator)).toEqual([])
  })

  it('is sent with the object where that is new, without a word of its own', async () => {
    workspace.emulator.load(sampleTenant)
    const { document } = await workspace.plan(since({ prod: '2' }, { prod: '3' }))
    expect(document.steps).toMatchObject([{ verb: 'create' }])
    expect(document.steps[0]?.rotates).toBeUndefined()
    expect(JSON.stringify(document.steps)).not.toContain('rotation')
  })

  it.each([
    ['soon', 'SVC1207'],
    ['2026-02-30', 'SVC1207'],
    ['1.5', 'SVC1207'],
  ])('is a number or a date: %s is neither', async (rotation, code) => {
    workspace.manifest(manifest({ prod: rotation }))
    const { problems } = workspace.open()
    expect(problems).toMatchObject([{ code, place: { line: 8 } }])
  })

  it('stands beside credentials', () => {
    workspace.manifest(manifest().replace('server: t', 'server: t, rotation: 3'))
    expect(workspace.open().problems).toMatchObject([{ code: 'SVC1208', place: { line: 7 } }])
  })
})

describe('undo of a rotation', () => {
  it('says that the credentials are not known, and takes nothing for changed by hand', async () => {
    await applyUntilKilled(workspace, 'whole.jsonl', { atWrite: 1000, sent: true }, { rotate })
    const { undone, report } = await undo(workspace, 'whole.jsonl', 'undone.jsonl')
    expect(undone.document.warnings.map(({ message }) => message)).toEqual([
      '`sql.prod.password` was sent: svcsync does not know the former value',
      '`sql.prod.user` was sent: svcsync does not know the former value',
    ])
    expect(report.outcome).toBe('different')
  })
})

describe('a broken apply of a rotation', () => {
  it('is gone on with: what was sent for sure is not sent again, and what may have been is', async () => {
    for (const [atWrite, sent, repeats] of [
      [1, true, true],
      [1, false, true],
      [2, false, false],
    ] as const) {
      const file = `${atWrite}-${sent}.jsonl`
      workspace.emulator.load(sampleTenant)
      workspace.manifest(manifest())
      await workspace.apply()
      workspace.manifest(`${manifest()}constants: [{ name: New, common: n }]\n`)
      await applyUntilKilled(workspace, file, { atWrite, sent }, { rotate, concurrency: 1 })
      await workspace.control('DELETE', '/requests')
      const { report } = await resume(workspace, file)
      expect(report.outcome).toBe('converged')
      expect(writesOf(workspace.emulator).filter(({ method }) => method === 'PATCH')).toHaveLength(repeats ? 1 : 0)
    }
  })
})
