// A project and its platform, as doctors examine them.
import { readFileSync } from 'node:fs'
import { afterEach, expect } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import type { DoctorReport } from '../../src/core/plan/doctor-report.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderDoctorText } from '../../src/render/report/render-doctor-text.ts'
import { renderDoctorJson } from '../../src/render/report/render-json.ts'
import { documentValidator } from '../harness/plan-schema.ts'
import { sampleManifest } from '../harness/sample-manifest.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'
import { type Examination, examine } from './examine.ts'

export const manifest = sampleManifest(({ full }) => full)
export const pinned = '    expect: { installation: { applications: { main: [Sample application] } } }'
const schema = JSON.parse(readFileSync(new URL('../../schemas/doctor.schema.json', import.meta.url), 'utf8')) as Json
const validate = documentValidator(schema)

/** A platform for each test of a file, of which a doctor writes nothing. */
export function useDoctor() {
  let workspace: Workspace
  const open = async (options: WorkspaceOptions = {}, text = manifest): Promise<void> => {
    const env = { SAMPLE_SECRET: 'a secret of the sample' }
    workspace = await openWorkspace({ tenant: sampleTenant, env, ...options })
    workspace.manifest(text)
  }
  afterEach(async () => {
    const writes = workspace.emulator
      .requests()
      .filter(({ method, path }) => method !== 'GET' && !String(path).endsWith('/token'))
    expect(writes).toEqual([])
    await workspace.close()
  })
  async function run(options?: Partial<Examination>): Promise<DoctorReport> {
    const report = await examine(workspace, options)
    expect(validate(JSON.parse(renderDoctorJson(report))), JSON.stringify(validate.errors)).toBe(true)
    const text = renderDoctorText(report, { colour: false })
    for (const { found } of report.checks)
      expect(text.replace(/\s+/g, ' ')).toContain(found.split(' ').slice(0, 3).join(' '))
    expect(report.requests).toBe(workspace.emulator.requests().length)
    return report
  }
  const everywhere = (path: string, effect: Fault['effect']): void => {
    workspace.emulator.addFault({ match: { path }, count: null, effect } as Fault)
  }
  return {
    get workspace() {
      return workspace
    },
    ...{ open, run, everywhere },
  }
}

export const application = (more: object): Tenant =>
  ({
    ...sampleTenant,
    apiApplications: [
      {
        name: 'svcsync',
        clientId: 'svcsync',
        clientSecret: 'svcsync-secret',
        scopes: 'all',
        svcId: 'app@svcsync',
        ...more,
      },
    ],
  }) as unknown as Tenant
