// The law of export on random installations: what it writes is what is there, for plans and for the formatter.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Exported } from '../../src/export/export-files.ts'
import type { Extent } from '../../src/export/fitting.ts'
import { formatText } from '../../src/format/format-text.ts'
import { kinds } from '../../src/kinds/index.ts'
import { manifestShapeOf } from '../../src/manifests/manifest-shape.ts'
import { useExported } from '../harness/adopt.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations, worlds } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { nothing, secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
/** By the version before, and where summer time moves the dates of substitutions. */
let former: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
  const settings = 'settings: { timeZone: America/New_York }'
  former = await openWorkspace({ env: secrets, settings, target: '    apiVersion: "5.0"' })
})
afterAll(() => Promise.all([workspace.close(), former.close()]))

/** Differences between installations that reads show. */
const behaviours = fc.record({
  privilegeCompany: fc.constantFrom('returned', 'omitted'),
  privilegeLevel: fc.constantFrom('returned', 'returned', 'omitted'),
  inheritedEnvironments: fc.constantFrom('omitted', 'shown'),
  emptyMembers: fc.constantFrom('emptyList', 'null'),
  pageCap: fc.constantFrom(1, 2, 200),
  substitutionDates: fc.constantFrom('asWritten', 'asUtc', 'withoutOffset'),
})
/** Where it is exported, whether entities are told in comments, and in which century the substitutions were. */
const ways = fc.record({ isFormer: fc.boolean(), entities: fc.boolean(), century: fc.constantFrom('19', '21') })

const extents = fc.constantFrom<Extent>('sparse', 'lists', 'complete')

const { document } = manifestShapeOf(kinds)

it('export then plan is empty, in the layout that the formatter would give it', async () => {
  await tryLaw(
    fc.asyncProperty(worlds, behaviours, extents, ways, async (world, behaviour, extent, way) => {
      const { emulator, ...project } = way.isFormer ? former : workspace
      const moved = (date: string) => `${way.century}${date.slice(2)}`
      const substitutions = world.substitutions.map((each) => ({ ...each, from: moved(each.from), to: moved(each.to) }))
      emulator.load({ ...tenantOf({ ...world, substitutions }), behaviour } as never)
      const { files, leftOut } = await project.export({ extent, entities: way.entities })
      // Facts that an installation tells nobody are left out without a failure.
      expect(leftOut.filter(({ isUntold }) => isUntold !== true)).toEqual([])
      if (behaviour.privilegeLevel === 'returned') expect(leftOut).toEqual([])
      for (const { file, text } of files) expect(formatText(text, document), file).toEqual({ text })
      const dir = join(project.dir, 'manifests')
      for (const file of readdirSync(dir)) rmSync(join(dir, file), { recursive: true })
      for (const { file, text } of files) project.write(`manifests/${file}`, text)
      const { changes, unreadable } = (await project.plan()).document
      expect({ changes, unreadable }).toEqual({ changes: [], unreadable: [] })
    }),
  )
})

it('serves a second installation that has the same applications and nothing else', async () => {
  await tryLaw(
    fc.asyncProperty(worlds, extents, fc.boolean(), async (world, extent, hasGroups) => {
      const { emulator } = workspace
      // An expired substitution does not begin again.
      const substitutions = world.substitutions.filter(({ to }) => to > '2026-02')
      emulator.load(tenantOf({ ...world, substitutions }))
      const first = await workspace.export({ extent })
      const bare = tenantOf({ ...nothing, spare: undefined })
      const [database] = bare.databases ?? []
      emulator.load({ ...bare, databases: [{ ...database, ...(!hasGroups && { constantGroups: [] }) }] } as never)
      useExported(workspace, first)
      const { report } = await workspace.run()
      expect(report.outcome).toMatch(/^(?:converged|nothing-to-do)$/)
      const { changes, unreadable } = (await workspace.plan()).document
      expect({ changes, unreadable }).toEqual({ changes: [], unreadable: [] })
      // Nobody can make a group of constants.
      const told = (files: Exported['files']) =>
        files.map(({ file, text }) => ({ file, text: text.replace(/^ *group(?:Id|Name): .*\n/gm, '') }))
      expect(told((await workspace.export({ extent })).files)).toEqual(told(first.files))
    }),
    0.5,
  )
})

it('what is missing can be taken over step by step, and the plan stays as it was', async () => {
  await tryLaw(
    fc.asyncProperty(worlds, fc.infiniteStream(fc.boolean()), extents, async (live, picks, extent) => {
      workspace.emulator.load(tenantOf(live))
      const dir = join(workspace.dir, 'manifests')
      for (const file of readdirSync(dir)) rmSync(join(dir, file), { recursive: true })
      workspace.manifest('')
      const { files } = await workspace.export({ extent })
      const addresses = files.length === 0 ? [] : await addressesOf(files)
      const some = addresses.filter(() => picks.next().value)
      const steps = some.length === 0 ? [[]] : [some, []]
      for (const only of steps) {
        const { files, leftOut } = await workspace.export({ missing: true, extent, only })
        expect(leftOut).toEqual([])
        for (const { file, text } of files) {
          expect(formatText(text, document), file).toEqual({ text })
          expect(existsSync(join(dir, file)), file).toBe(false)
          workspace.write(`manifests/${file}`, text)
        }
        const { changes, unreadable } = (await workspace.plan()).document
        expect({ changes, unreadable }).toEqual({ changes: [], unreadable: [] })
      }
      expect(await workspace.export({ missing: true })).toMatchObject({ files: [], objects: 0 })
      // As much as in one go.
      expect(await addressesOf([])).toEqual(addresses)
    }),
    0.3,
  )
})

it('what is missing beside any manifests leaves their plan as it was', async () => {
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      rmSync(join(workspace.dir, 'manifests'), { recursive: true })
      writeManifests(workspace, [items])
      const { changes } = (await workspace.plan()).document
      const { files, leftOut } = await workspace.export({ missing: true, extent: 'complete' })
      for (const { file, text } of files) workspace.write(`manifests/${file}`, text)
      expect((await workspace.plan()).document.changes).toEqual(changes)
      const again = await workspace.export({ missing: true, extent: 'complete' })
      expect(again).toMatchObject({ files: [], objects: 0, leftOut })
    }),
    0.5,
  )
})

/** Of what the manifests declare, with these files among them. */
async function addressesOf(files: Exported['files']): Promise<readonly string[]> {
  for (const { file, text } of files) workspace.write(`manifests/${file}`, text)
  const { desired } = await workspace.open()
  for (const { file } of files) rmSync(join(workspace.dir, 'manifests', file))
  return desired.map(({ address }) => address)
}

it('says the same of the same state, byte for byte', async () => {
  await tryLaw(
    fc.asyncProperty(worlds, async (live) => {
      workspace.emulator.load(tenantOf(live))
      expect(await workspace.export()).toEqual(await workspace.export())
    }),
    0.25,
  )
})
