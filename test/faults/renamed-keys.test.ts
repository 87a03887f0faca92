// Every key of every answer left out, and under another name: what it tells is then unreadable, or it tells nothing that
// matters. It never passes for empty.
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
    // Of no use to svcsync, and what stands under them is not looked at.
    if (key === 'links') return []
    const here = [...path, key]
    return [`${template} ${here.join('.')}`, ...keysOf(template, value as Json, here)]
  })
}

interface Change {
  readonly name?: string | undefined
  readonly value?: string | undefined
}

/** The answer without the key, with it under another name, or with another word under it. */
function changed(answer: Json, [key = '', ...rest]: readonly string[], { name, value }: Change): Json {
  if (Array.isArray(answer))
    return (answer as readonly Json[]).map((item) => changed(item, [key, ...rest], { name, value }))
  if (!isJsonObject(answer)) return answer
  return Object.fromEntries(
    Object.entries(answer).flatMap(([each, before]): [string, Json][] => {
      if (each !== key) return [[each, before as Json]]
      if (rest.length > 0) return [[each, changed(before as Json, rest, { name, value })]]
      if (value !== undefined) return [[each, value]]
      return name === undefined ? [] : [[name, before as Json]]
    }),
  )
}

/** Keys whose values are words of the interface. */
const words = /(level|status|type|binding|authentication|connectAs|environment|credentials|serverType)$/

/**
 * What a key that is left out means where installations may leave it out: an environment inherits, a company is not told, a group has its
 * id; a constant has no description; a text or word in the settings of a connection is not set. */
const optional =
  /^\S+ (.*\.)?(dev|test|prod|company|groupName)$|\/constants\/\* description$|\/connections\/\* \w+\.(common|dev|test|prod)\.(?!breakInheritance|skipHttps|keepAlive|integratedAuth|connectionType|trust)/

type Told = { readonly lost: boolean; readonly said: string }

async function attempt(run: () => Promise<Told>): Promise<Told> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SvcsyncError)) throw error
    return { lost: false, said: error.message }
  }
}

it('nothing that is missing or renamed passes for empty', { timeout: 600_000 }, async () => {
  const keys = new Set<string>()
  wire.reword = (path, answer) => {
    for (const key of keysOf(templateOf(path), answer)) keys.add(key)
    return answer
  }
  const whole = await workspace.export({ extent: 'complete' })
  expect(whole.leftOut).toEqual([])
  for (const { file, text } of whole.files) if (file.endsWith('.yaml')) workspace.write(join('manifests', file), text)
  // No list tells it: it is in no export.
  const element = '{ element: /db/1/app/1/element/7, privileges: { ReadOnly: [jan@example.com] } }'
  workspace.write('manifests/elements.yaml', `database: main\nelements: [${element}]\n`)
  const exported = JSON.stringify(whole.files)
  expect((await workspace.plan()).document).toMatchObject({ changes: [], unreadable: [] })
  const healthy = await examine(workspace)
  expect(healthy.checks.filter(({ result }) => result === 'problem')).toEqual([])
  const cases: (Change & { readonly key: string })[] = [...keys]
    .filter((key) => !key.startsWith('/me') && !key.endsWith('businessEntities.code'))
    .flatMap((key) => [{ key }, { key, name: 'otherWord' }, ...(words.test(key) ? [{ key, value: 'otherWord' }] : [])])
  // A business entity without a code is called by its name.
  expect(cases.length).toBeGreaterThan(200)

  const wrong: string[] = []
  for (const { key, name, value } of sharedOut(cases, 0, 20)) {
    if (name === undefined && value === undefined && optional.test(key)) continue
    const [template, path = ''] = key.split(' ')
    wire.reword = (asked, answer) =>
      templateOf(asked) === template ? changed(answer, path.split('.'), { name, value }) : answer
    const [plan, dump] = await Promise.all([
      attempt(async () => {
        const { document } = await workspace.plan()
        const said = document.unreadable.map(({ reason }) => reason).join('\n')
        return { lost: document.changes.length > 0, said }
      }),
      attempt(async () => {
        const { files, leftOut } = await workspace.export({ extent: 'complete' })
        const said = leftOut.map(({ reason }) => reason).join('\n')
        return { lost: JSON.stringify(files) !== exported && said === '', said }
      }),
    ])
    const what = `${key} ${value ?? name ?? 'missing'}`
    if (plan.lost || dump.lost) wrong.push(`${what}: something is lost in silence`)
    const word = name ?? value
    if (plan.said === '' || word === undefined) continue
    const doctor = await examine(workspace)
    const problems = doctor.checks.filter(({ result }) => result === 'problem')
    if (!JSON.stringify(problems).includes(word))
      wrong.push(`${what}: doctor does not name it: ${JSON.stringify(problems)}`)
  }
  expect(wrong).toEqual([])
})
