// Every key of every answer left out, and renamed. Identities never pass for empty; a renamed product name is in doubt,
// and doctor names it; any other key costs its field, and no object.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../../src/core/model/json.ts'
import { SvcsyncError } from '../../src/errors/index.ts'
import { examine } from '../doctor/examine.ts'
import { openRewording, type Rewording } from '../harness/rewording.ts'
import { sharedOut } from '../harness/thorough.ts'
import { wholeTenant, wordyTenant } from '../harness/whole-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
let wire: Rewording
beforeAll(async () => {
  const tenant = { ...wholeTenant, licenses: wordyTenant.licenses }
  workspace = await openWorkspace({ tenant: tenant as never, settings: 'settings: { retry: { maxDelay: 10ms } }' })
  wire = await openRewording(workspace.emulator.url)
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  workspace.write('svcsync.yaml', project.replace(workspace.emulator.url, wire.url))
})
afterAll(async () => {
  await wire.close()
  await workspace.close()
})

/** Like the template of a path: `/admin/user`, a star for each id. */
const templateOf = (path: string): string =>
  path
    .replace(/\?.*/, '')
    .replace(/^\/api\/data\/v[\d.]+/, '')
    .replace(/\/(\d+|[0-9a-f]{8}-[0-9a-f-]+)(?=\/|$)/g, '/*')

/** Each key of each answer once, by the path of keys that leads to it. */
function keysOf(template: string, answer: Json, path: readonly string[] = []): readonly string[] {
  if (Array.isArray(answer)) return (answer as readonly Json[]).flatMap((item) => keysOf(template, item, path))
  if (!isJsonObject(answer)) return []
  return Object.entries(answer).flatMap(([key, value]) => {
    // Unused by svcsync, with all keys below.
    if (key === 'links') return []
    const here = [...path, key]
    return [`${template} ${here.join('.')}`, ...keysOf(template, value as Json, here)]
  })
}

interface Change {
  readonly name?: string | undefined
}

/** The answer without the key, or with it under another name. */
function changed(answer: Json, [key = '', ...rest]: readonly string[], { name }: Change): Json {
  if (Array.isArray(answer)) return (answer as readonly Json[]).map((item) => changed(item, [key, ...rest], { name }))
  if (!isJsonObject(answer)) return answer
  return Object.fromEntries(
    Object.entries(answer).flatMap(([each, before]): [string, Json][] => {
      if (each !== key) return [[each, before as Json]]
      if (rest.length > 0) return [[each, changed(before as Json, rest, { name })]]
      return name === undefined ? [] : [[name, before as Json]]
    }),
  )
}

/** Names that stand for the product, or for other vendors' products. */
const standsIn = /svc|dbb|docportal|mailserver|mailWebService|directoryGraph/i
/** Keys that identify an object, an account or a place; and the lists themselves, except those of a group. */
const identity =
  /(\bsvcId|\bguid|\bdbId|\buser|Person|substitutions\.(id|type|startDate|activeApplications)|licenses\.type|\bprocesses\.name|\/(applications|constants|connections|processes|workflows|associatedFormTypes)\S* \w+\.name| \w+[sS]|(constants|connections)\/\* name|businessEntities\.name)$/

interface Told {
  readonly lost: boolean
  readonly said: string
  readonly unreadable: readonly string[]
}

async function attempt(run: () => Promise<Told>): Promise<Told> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SvcsyncError)) throw error
    return { lost: false, said: error.message, unreadable: [] }
  }
}

const isIdentity = (key: string): boolean => identity.test(key) && !/\/group (members|owners)$/.test(key)
const isToldAmong = (keys: readonly string[], template: string, last: string): boolean =>
  keys.some((each) => each.startsWith(`${template} `) && each.endsWith(`.${last}`))

it('nothing that is missing or renamed passes for empty', { timeout: 600_000 }, async () => {
  const keys = new Set<string>()
  wire.reword = (path, answer) => {
    for (const key of keysOf(templateOf(path), answer)) keys.add(key)
    return answer
  }
  const whole = await workspace.export({ extent: 'complete' })
  expect(whole.leftOut).toEqual([])
  const manifests = whole.files.filter(({ file }) => file.endsWith('.yaml'))
  for (const { file, text } of manifests) workspace.write(join('manifests', file), text)
  // No list tells it: it is in no export.
  const element = '{ element: /db/1/app/1/element/7, privileges: { ReadOnly: [jan@example.com] } }'
  workspace.write('manifests/elements.yaml', `database: main\nelements: [${element}]\n`)
  const exported = JSON.stringify(whole.files)
  expect((await workspace.plan()).document).toMatchObject({ changes: [], unreadable: [] })
  const healthy = await examine(workspace)
  expect(healthy.checks.filter(({ result }) => result === 'problem')).toEqual([])
  const cases: (Change & { readonly key: string })[] = [...keys]
    .filter((key) => !key.startsWith('/me') && !key.endsWith('businessEntities.code'))
    .flatMap((key) => [{ key }, { key, name: 'otherWord' }])
  // A business entity without a code is called by its name.
  expect(cases.length).toBeGreaterThan(200)

  const wrong: string[] = []
  for (const { key, name } of sharedOut(cases, 0, 20)) {
    const [template, path = ''] = key.split(' ')
    wire.reword = (asked, answer) =>
      templateOf(asked) === template ? changed(answer, path.split('.'), { name }) : answer
    const what = `${key} ${name ?? 'missing'}`
    const isKnownBy = isIdentity(key)
    const [plan, dump] = await Promise.all([attempt(planned), attempt(dumped)])
    // Without levels, lists of privileges behave differently.
    if (!isKnownBy && !key.endsWith('.level') && plan.unreadable.length > 0)
      wrong.push(`${what}: it costs objects: ${plan.unreadable.join()}`)
    const last = path.split('.').at(-1) ?? ''
    const others = [...keys].filter((each) => each !== key)
    const mayBeOther = standsIn.test(last) && !isToldAmong(others, String(template), last)
    const isDoubted = name !== undefined && mayBeOther
    if (!isKnownBy && !isDoubted) continue
    if (plan.lost || dump.lost) wrong.push(`${what}: something is lost in silence`)
    if (plan.said === '' || name === undefined) continue
    const doctor = await examine(workspace)
    const problems = doctor.checks.filter(({ result }) => result === 'problem')
    if (!JSON.stringify(problems).includes(name))
      wrong.push(`${what}: doctor does not name it: ${JSON.stringify(problems)}`)
  }
  expect(wrong).toEqual([])

  async function planned(): Promise<Told> {
    const { document } = await workspace.plan()
    const unreadable = document.unreadable.map(({ reason }) => reason)
    const doubted = document.warnings.filter(({ code }) => code === 'SVC1350').map(({ message }) => message)
    return { lost: document.changes.length > 0, said: [...unreadable, ...doubted].join(), unreadable }
  }

  async function dumped(): Promise<Told> {
    const { files, leftOut } = await workspace.export({ extent: 'complete' })
    const said = leftOut.map(({ reason }) => reason).join()
    return { lost: JSON.stringify(files) !== exported && said === '', said, unreadable: [] }
  }
})
