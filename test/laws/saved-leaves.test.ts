// Every leaf and every key of a saved plan, changed, removed or doubled one at a time, with the digest as it was and
// with one made anew: the file is refused, or what is written and shown is what the untouched plan writes and shows.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../../src/core/model/json.ts'
import { documentTexts } from '../../src/core/plan/plan-digest.ts'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { documentOf, planFileText } from '../../src/runs/saved/plan-file.ts'
import { edited, type JsonPath, pathsIn } from '../harness/edit-json.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { sharedOut } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writeLines, writesOf } from '../harness/write-log.ts'

const tenant = {
  accounts: [{ svcId: 'corp\\a', name: 'A', type: 'Other' }],
  users: [
    { svcId: 'u0@example.com', name: 'Zero' },
    { svcId: 'u1@example.com', name: 'One', jobTitle: 'live' },
    { svcId: 'u2@example.com', name: 'Two' },
    { svcId: 'u3@example.com', name: 'Three' },
  ],
  groups: [
    { svcId: 'g0@example.com', name: 'G0', members: ['u0@example.com', 'u1@example.com', 'u2@example.com'] },
    { svcId: 'old-0@example.com', name: 'Old', members: ['u3@example.com'] },
    { svcId: 'g3@example.com', name: 'G3', members: ['u3@example.com'], owners: ['u0@example.com'] },
  ],
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      constants: [{ name: 'C0', common: 'live' }],
      connections: [
        { name: 'N0', type: 'SQL', sql: { common: { server: 's', database: 'd', integratedAuthentication: false } } },
      ],
      applications: [
        {
          name: 'A',
          processes: [
            {
              name: 'P',
              privileges: [
                { svcId: 'u0@example.com', level: 'Modify' },
                { svcId: 'u1@example.com', level: 'Administrator' },
                { svcId: 'corp\\a', level: 'Start', company: 'PL01' },
              ],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

const manifest = `database: main
sets:
  clerks: [u1@example.com, { svcId: u3@example.com, until: 2026-01-10 }]
users:
  - { svcId: new@example.com, name: New, managerSvcId: u0@example.com }
  - { svcId: u1@example.com, jobTitle: "\${env:TITLE}" }
  - { svcId: u3@example.com, name: Three }
  - { svcId: u2@example.com, absent: true }
groups:
  - svcId: g0@example.com
    name: G
    members: [{ set: clerks }, new@example.com, { svcId: 'corp\\a', until: 2025-06-01 }, { svcId: u0@example.com, from: 2026-06-01 }]
  - { svcId: g3@example.com, members: [g0@example.com], manage: { members: additive } }
constants:
  - { name: C0, common: "\${var:word}", test: "\${env:TITLE}" }
  - { name: C1, common: new }
connections:
  - { name: N0, type: SQL, sql: { common: { server: other, user: "\${env:TITLE}", password: "\${env:PASSWORD}" } } }
processes:
  - process: P
    privileges:
      Administrator: [u1@example.com, u0@example.com]
      Modify: [g0@example.com]
      Start: [{ svcId: u1@example.com, company: PL01 }]
`

let workspace: Workspace
let text: string
let untouched: readonly string[]
beforeAll(async () => {
  workspace = await openWorkspace({
    env: { TITLE: 'title', PASSWORD: 'password' },
    target: '    variables: { word: live2 }',
    settings: 'prune: { groups: ["old-*"] }\n',
  })
  workspace.emulator.load(tenant)
  workspace.manifest(manifest)
  text = await savedText(workspace)
  const report = await applySaved(workspace, text)
  expect(report.steps.filter(({ outcome }) => outcome !== 'done')).toEqual([])
  expect(JSON.parse(text).warnings).not.toEqual([])
  expect(report).toMatchObject({ outcome: 'converged' })
  untouched = written()
})
afterAll(() => workspace.close())

const written = () => writeLines(writesOf(workspace.emulator)).sort()

interface Edit {
  readonly path: JsonPath
  readonly what: string
  readonly forge: (plan: Json) => Json
}

/** What somebody might do to one place. `alike`: other texts that stand behind the same key somewhere in the plan. */
function editsAt(plan: Json, path: JsonPath, alike: ReadonlyMap<string, readonly string[]>): Edit[] {
  const value = valueAt(plan, path)
  const make = (what: string, to: Json | undefined): Edit => ({
    path,
    what,
    forge: (from) => edited(from, path, to) as Json,
  })
  const edits = [make('without', undefined)]
  if (typeof value === 'string') {
    const other = alike.get(String(path.at(-1)))?.find((each) => each !== value)
    edits.push(make('other', `${value}x`), ...(other === undefined ? [] : [make('alike', other)]))
  } else if (typeof value === 'number') edits.push(make('other', value + 1))
  else if (typeof value === 'boolean') edits.push(make('other', !value))
  else if (value === null) edits.push(make('other', 'x'))
  else if (Array.isArray(value)) {
    const [first] = value as readonly Json[]
    edits.push(make('empty', []), ...(first === undefined ? [] : [make('doubled', [...value, first] as Json)]))
  } else if (isJsonObject(value)) edits.push(make('more', { ...value, more: 1 }))
  return edits
}

/** What the digest does not cover: when, where and by what it was made, what was allowed, what nobody declares. */
function isOutsideDigest([first, , third, ...rest]: JsonPath): boolean {
  const places = ['place', 'listedAt', 'related']
  if (
    ['createdAt', 'expiresAt', 'application', 'tool', 'unmanaged', 'unlistedLevels', 'formatVersion'].includes(
      String(first),
    )
  )
    return true
  return [third, ...rest].some((key) => places.includes(String(key))) || (first === 'guards' && third === 'verdict')
}

/** What is not read again (as who is in groups), and taken from a file whose digest nobody has named. */
const takenFromFile = ['guards', 'warnings', 'upcoming', 'access']

it('is refused, or does and shows what it did and showed', { timeout: 1_800_000 }, async () => {
  const plan = JSON.parse(text) as Json
  const paths = pathsIn(plan).filter(([key]) => key !== undefined && key !== 'checksum')
  const alike = textsByKey(plan, paths)
  const shownText = (file: string) =>
    renderPlanText(documentOf(parsed(file)), { colour: false, width: 200, verbose: true })
  const shown = shownText(text)
  const wrong: string[] = []
  let accepted = 0
  const forgeries = paths
    .flatMap((path) => editsAt(plan, path, alike))
    .flatMap((edit) => [{ ...edit, isAnew: false }, ...(edit.path[0] === 'digest' ? [] : [{ ...edit, isAnew: true }])])
  for (const { isAnew, ...edit } of sharedOut(forgeries, 0, 101)) {
    const forged = forgedPlan(plan, edit, isAnew)
    if (forged === undefined) continue
    const name = `${edit.what} ${edit.path.join('.')}`
    const file = planFileText(forged)
    workspace.emulator.load(tenant)
    await workspace.control('DELETE', '/requests')
    const result: unknown = await applySaved(workspace, file).catch((error: unknown) => error)
    const writes = written()
    if (result instanceof Error) {
      if (!(result instanceof SvcsyncError)) wrong.push(`${name}: ${result.stack}`)
      if (writes.length > 0) wrong.push(`${name}: refused, and wrote`)
      continue
    }
    accepted++
    if (JSON.stringify(writes) !== JSON.stringify(untouched)) wrong.push(`${name}: wrote ${writes.join('\n')}`)
    const hasOther = forged.digest !== parsed(text).digest
    const mayDiffer = isOutsideDigest(edit.path) || (hasOther && takenFromFile.includes(String(edit.path[0])))
    if (!mayDiffer && shownText(file) !== shown) wrong.push(`${name}: shows something else`)
  }
  expect(wrong).toEqual([])
  expect(accepted).toBeGreaterThan(0)
})

const valueAt = (plan: Json, path: JsonPath): Json =>
  path.reduce<Json>((part, key) => (part as Record<string | number, Json>)[key] as Json, plan)

/** The texts that stand behind each key. */
function textsByKey(plan: Json, paths: readonly JsonPath[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  for (const path of paths) {
    const value = valueAt(plan, path)
    const key = String(path.at(-1))
    if (typeof value === 'string') texts.set(key, [...new Set([...(texts.get(key) ?? []), value])])
  }
  return texts
}

/** Undefined: no digest can be worked out for it, so that there is none to forge. */
function forgedPlan(plan: Json, { forge }: Edit, isAnew: boolean): SavedPlan | undefined {
  const forged = forge(plan) as unknown as SavedPlan
  if (!isAnew) return forged
  const digest = digestOf(forged)
  return digest === undefined ? undefined : { ...forged, digest }
}

function digestOf(plan: SavedPlan): string | undefined {
  try {
    return sha256(documentTexts(plan.saved.svcIds).content(plan, plan.saved))
  } catch {
    return undefined
  }
}
