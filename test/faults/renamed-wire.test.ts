// An installation that calls everything by names of its own, as its document says: with all of them it is an
// installation like any other, and with any one missing nothing is lost, and the name is said.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkDocument } from '../../src/cli/commands/platform/doctor.ts'
import { interfaceDocument } from '../../src/emulator/index.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { alignNames } from '../../src/openapi/align-names.ts'
import { readInterface } from '../../src/openapi/read-interface.ts'
import { examine } from '../doctor/examine.ts'
import { openRenamedWire, type RenamedWire } from '../harness/renamed-wire.ts'
import { sharedOut } from '../harness/thorough.ts'
import { wordyTenant } from '../harness/whole-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { foreignDocument } from '../openapi/foreign-document.ts'

async function said(run: () => Promise<string>): Promise<{ readonly text: string; readonly failed: boolean }> {
  try {
    return { text: await run(), failed: false }
  } catch (error) {
    if (!(error instanceof SvcsyncError)) throw error
    return { text: error.message, failed: true }
  }
}

describe.each(['6.0', '5.0'] as const)('API %s', (apiVersion) => {
  const { document, truth } = foreignDocument(interfaceDocument(apiVersion), { seed: 12, names: 'product' })
  let workspace: Workspace
  let wire: RenamedWire
  let project: string
  let found: ReadonlyMap<string, string>

  beforeAll(async () => {
    workspace = await openWorkspace({
      tenant: wordyTenant as never,
      settings: 'settings: { retry: { maxDelay: 10ms } }',
      target: `    apiVersion: "${apiVersion}"`,
    })
    wire = await openRenamedWire(workspace.emulator.url, truth, document)
    project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8').replace(workspace.emulator.url, wire.url)
    const ours = interfaceDocument(apiVersion)
    const { names } = alignNames(readInterface(ours, apiVersion), readInterface(document as never, apiVersion))
    found = new Map(names.map(({ name, real }) => [name, real]))
  })
  afterAll(async () => {
    await wire.close()
    await workspace.close()
  })

  function useNames(names: ReadonlyMap<string, string>): void {
    const table = [...names].map(([name, real]) => `${JSON.stringify(name)}: ${JSON.stringify(real)}`).join(', ')
    workspace.write('svcsync.yaml', project.replace('databases:', `wireNames: { ${table} }\n    databases:`))
  }

  it('each name is needed, and without any one nothing is lost in silence', { timeout: 600_000 }, async () => {
    useNames(found)
    const whole = await workspace.export({ extent: 'complete' })
    expect(whole.leftOut).toEqual([])
    const exported = JSON.stringify(whole.files)
    const manifests = whole.files.filter(({ file }) => file.endsWith('.yaml'))
    for (const { file, text } of manifests) workspace.write(join('manifests', file), text)
    expect((await workspace.plan()).document).toMatchObject({ changes: [], unreadable: [] })
    const before = JSON.stringify(workspace.emulator.state())
    // Nobody reads which sort of account a member is.
    const unread = ['SvcGroup', 'SvcSecurityGroup']
    const wrong: string[] = []
    for (const [name, real] of sharedOut([...found], apiVersion === '6.0' ? 0 : 2, 5)) {
      useNames(new Map([...found].filter(([other]) => other !== name)))
      const doctor = await examine(workspace)
      const problems = JSON.stringify(doctor.checks.filter(({ result }) => result === 'problem'))
      const ofDocument = await checkDocument(`${wire.url}/openapi.json`, workspace.open(), {})
      const planned = await said(async () => {
        const { document: plan } = await workspace.plan()
        wrong.push(...plan.changes.map(({ address }) => `${name}: the plan changes ${address}`))
        const doubted = plan.warnings.filter(({ code }) => code === 'SVC1350')
        return [...plan.unreadable.map(({ reason }) => reason), ...doubted.map(({ message }) => message)].join('\n')
      })
      const left = await said(async () => {
        const { files, leftOut } = await workspace.export({ extent: 'complete' })
        const reasons = leftOut.map(({ reason }) => reason).join('\n')
        if (reasons === '' && JSON.stringify(files) !== exported) wrong.push(`${name}: the export lacks something`)
        return reasons
      })
      const applied = await said(async () => (await workspace.apply()).outcome)
      if (JSON.stringify(workspace.emulator.state()) !== before) wrong.push(`${name}: apply has changed something`)
      if (ofDocument.result !== 'problem' || !ofDocument.details?.includes(`\`${name}\` is \`${real}\` there`))
        wrong.push(`${name}: doctor --openapi says ${JSON.stringify(ofDocument)}`)
      // It reads a few objects of a list, which need not be those with the word.
      const isNamed = problems.includes(real) || problems.includes(`\`${name}\``) || /^[A-Z]/.test(name)
      const isUnread = unread.includes(name)
      const faults: readonly (readonly [boolean, string])[] = isUnread
        ? [[planned.text !== '' || left.text !== '', 'it is read']]
        : [
            [planned.text === '', 'the plan says nothing'],
            [left.text === '', 'the export says nothing'],
            [!isNamed, `doctor says ${problems}`],
            [applied.text === 'converged', 'the apply converged'],
          ]
      wrong.push(...faults.flatMap(([isSo, what]) => (isSo ? [`${name}: ${what}`] : [])))
    }
    expect(wrong).toEqual([])
    expect(wire.writes).toEqual([])
  })
})
