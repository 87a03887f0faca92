// Packages to import, and a platform that takes them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { readImportConfig, resolveImportConfig } from '../../src/runs/import/import-config.ts'
import { importRun } from '../../src/runs/import/import-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

export type ImportEvent = Parameters<Parameters<typeof importRun>[1]['onEvent']>[0]

export const tenant = {
  groups: [{ svcId: 'clerks@example.com', name: 'Clerks' }],
  databases: [
    {
      id: 1,
      constants: [
        { name: 'Limit', common: '1' },
        { name: 'ErpUrl', common: 'https://erp.example.com' },
      ],
      applications: [
        { name: 'Purchasing', processes: [{ name: 'Invoices' }, { name: 'Invoice approval' }] },
        { name: 'Sales', processes: [{ name: 'Invoices' }] },
      ],
    },
  ],
}
export const brings = [
  { with: 'importSvcGroups', edit: { upsertGroup: { svcId: 'clerks@example.com', name: 'From the package' } } },
  { with: 'overwriteAllGlobalConstants', edit: { upsertConstant: { constant: { name: 'Limit', common: '2' } } } },
]
export const chunkSize = 100
export const packageOf = (head: object): string => `${JSON.stringify(head)}\n${'x'.repeat(1234)}`

/** One platform for the tests of a file, as it was before each of them. */
export function useImports() {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({
      tenant: tenant as never,
      settings: 'settings: { maxAnswerMb: 1, retry: { maxDelay: 10ms } }',
    })
  })
  afterAll(() => workspace.close())
  beforeEach(() => {
    workspace.emulator.load(tenant)
    workspace.emulator.clearFaults()
    writeFileSync(join(workspace.dir, 'p.pkg'), packageOf({ brings }))
  })

  async function withClient<T>(
    use: (client: ReturnType<typeof connect>) => Promise<T>,
    kill?: AbortSignal,
  ): Promise<T> {
    const client = connect(workspace.open().project, { version: 'test', env: {}, signal: kill })
    try {
      return await use(client)
    } finally {
      await client.close()
    }
  }

  async function configured(text: string) {
    workspace.write('import.yaml', text)
    const config = readImportConfig(join(workspace.dir, 'import.yaml'), workspace.dir, { main: 1 })
    const body = await withClient((client) =>
      config.problems.length > 0
        ? Promise.resolve(undefined)
        : resolveImportConfig(config, client, workspace.open().project),
    )
    return { body, problems: config.problems }
  }

  async function run(
    options: Partial<Parameters<typeof importRun>[1]> = {},
    text = 'importSvcGroups: true\n',
    kill?: AbortSignal,
  ) {
    const { body } = await configured(text)
    const events: ImportEvent[] = []
    const report = await withClient(
      (client) =>
        importRun(client, {
          file: join(workspace.dir, 'p.pkg'),
          shown: 'p.pkg',
          dbId: 1,
          configuration: body as JsonObject,
          chunkSize,
          timeoutMs: 60_000,
          onEvent: (event) => events.push(event),
          pause: async () => undefined,
          nowMs: Date.now,
          stop: new AbortController().signal,
          ...options,
        }),
      kill,
    )
    const logs = events.flatMap((event) => (event.type === 'logs' ? [event.text] : [])).join('')
    return { report, events, logs }
  }

  const groupName = () => workspace.emulator.state().groups?.[0]?.name
  const uploads = () =>
    workspace.emulator.requests().filter(({ path }) => /importsessions\/[^/]+\/\d+$/.test(String(path)))
  return {
    get workspace() {
      return workspace
    },
    ...{ withClient, configured, run, groupName, uploads },
  }
}
