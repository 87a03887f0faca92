// No value that a reference stands for is shown, wherever in the project file or in a manifest the reference stands:
// every text that they may hold, one at a time, through every command that shows something, with values that fit and
// that do not.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { buildProgram } from '../../src/cli/program/program.ts'
import { reportError } from '../../src/cli/terminal/report-error.ts'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import type { Kind, Section } from '../../src/core/model/kind.ts'
import type { Schema } from '../../src/core/model/schema.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { sectionSchemaOf } from '../../src/manifests/manifest-shape.ts'
import { setsSchema } from '../../src/manifests/sets-schema.ts'
import { projectSchemaOf } from '../../src/project/project-schema.ts'
import type { JsonPath } from '../harness/edit-json.ts'
import { documentOf } from '../harness/sample-manifest.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { samplesOf } from '../harness/samples.ts'
import { isThorough, sharedOut } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

/** Stands in each value. The installation has it in small letters: patterns match that all the same. */
const mark = 'PLANTED'
const values = { PLANT: `x${mark}`, LATER: `later ${mark}\n::error::` }

const tenant = {
  ...sampleTenant,
  groups: [
    ...(sampleTenant.groups ?? []),
    { svcId: 'stray-planted@example.com', name: 'Stray', members: ['jan.kos@example.com'] },
  ],
} as Tenant

const manifest = `database: main
groups:
  - { svcId: clerks@example.com, name: Clerks, members: [ewa.lis@example.com, other@planted.example.com] }
constants:
  - { name: Own, common: "a \${var:main} b" }
`

/** Values with which all goes well and that hold the mark all the same. */
const fitting: Readonly<Record<string, string>> = {
  'manifests.0': `${mark}/../manifests`,
  'policies.0': `${mark}/../policies`,
  'overrides.0': `${mark}/../overrides`,
  'external.0': `*@${mark}.*`,
  'prune.groups.0': `*${mark}*`,
  'protect.0': `group/*${mark}*`,
}

let workspace: Workspace
/** Refuses everything, and quotes it. */
let quoting: Server
beforeAll(async () => {
  workspace = await openWorkspace({ env: { TOKEN: 'plain' } })
  workspace.write('secret.txt', `file ${mark}`)
  workspace.write('policies/a.yaml', 'policies: []\n')
  workspace.write('overrides/a.yaml', 'groups:\n  - { svcId: clerks@example.com, name: Clerks 2 }\n')
  quoting = createServer((request, response) => {
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const isToken = request.url?.endsWith('/token') && !request.url.startsWith('/refuse')
      const said = `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`
      response.writeHead(isToken ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isToken ? { access_token: 't0ken' } : { type: 'InvalidData', description: said }))
    })
  })
  await new Promise<void>((done) => quoting.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  quoting.close()
  quoting.closeAllConnections()
  await workspace.close()
})
afterEach(() => vi.restoreAllMocks())

/** The output of one command. In this process: some thousands of them are run. */
async function printed(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  let text = ''
  const take = ((chunk: string, done?: () => void) => {
    text += chunk
    done?.()
    return true
  }) as typeof process.stdout.write
  vi.spyOn(process.stdout, 'write').mockImplementation(take)
  vi.spyOn(process.stderr, 'write').mockImplementation(take)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  try {
    await buildProgram(() => undefined).parseAsync([...args], { from: 'user' })
  } catch (error) {
    reportError(error, { verbose: true, color: false, json: args.includes('json') })
  } finally {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  }
  return text
}

const formats = ['text', 'json', 'github', 'gitlab', 'azure', 'sarif', 'junit']
const first = ['validate', 'plan -v --out {dir}/p.json']
const looks = [
  ...formats.map((format) => `validate --format ${format}`),
  'plan --format json --unmanaged',
  'plan --format markdown -v',
  'drift -v',
  'drift --format json',
  'drift --format markdown',
  'doctor -v',
  'doctor --format json',
  'export',
  'export --missing',
  'fmt --check --diff',
  ...['text', 'json', 'markdown'].map((format) => `show {dir}/p.json -v --format ${format}`),
]
const applies = [
  'apply {dir}/p.json -v',
  'apply --yes --format json',
  'apply --yes --format markdown',
  'apply --yes -v --journal {dir}/j.jsonl',
]

/** The outputs that show the mark. `index`: of the place; each has another part of the commands. */
async function leaks(index: number, value: string): Promise<readonly string[]> {
  const found: string[] = []
  const look = async (line: string, env: Readonly<Record<string, string>>): Promise<void> => {
    const args = line.replace('{dir}', workspace.dir).split(' ')
    if (args[0] !== 'show') args.push('--project', join(workspace.dir, 'svcsync.yaml'))
    const text = await printed(args, { ...workspace.env, ...env })
    const at = text.indexOf(mark)
    if (at >= 0) found.push(`${line}: …${text.slice(Math.max(0, at - 100), at + 30)}…`)
    if (text.includes('unexpected error')) found.push(`${line}: ${text}`)
  }
  for (const file of ['p.json', 'j.jsonl']) rmSync(join(workspace.dir, file), { force: true })
  const env = { PLANT: value }
  workspace.emulator.load(tenant)
  for (const line of [...first, ...sharedOut(looks, index, 16)]) await look(line, env)
  for (const line of sharedOut(applies, index, 8)) {
    workspace.emulator.load(tenant)
    await look(line, env)
  }
  // Now the platform has the one, and the environment another one.
  for (const line of sharedOut(looks.slice(7, 12), index, 10)) await look(line, { PLANT: values.LATER })
  for (const file of ['p.json', 'j.jsonl']) {
    const path = join(workspace.dir, file)
    if (existsSync(path) && readFileSync(path, 'utf8').includes(mark)) found.push(file)
  }
  return found
}

/** Every text that the schema knows. In a mapping with free keys it stands under `key`. */
function textsIn(schema: Schema, key: string, path: JsonPath = []): JsonPath[] {
  if (schema.type === 'string' || schema.type === 'nameOrId') return [path]
  if (schema.type === 'array') return textsIn(schema.items, key, [...path, 0])
  if (schema.type === 'map') return textsIn(schema.values, key, [...path, key])
  if (schema.type === 'shorthand') return [path, ...textsIn(schema.long, key, path)]
  if (schema.type !== 'object') return []
  return Object.entries(schema.properties).flatMap(([name, part]) => textsIn(part, key, [...path, name]))
}

/** The data with a value at a place, with what it takes for that around it. */
function withAt(data: Json | undefined, [key, ...rest]: JsonPath, value: Json): Json {
  if (key === undefined) return value
  if (typeof key === 'number') return [withAt(Array.isArray(data) ? data[key] : undefined, rest, value)]
  const object = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject) : {}
  return { ...object, [key]: withAt(object[key], rest, value) }
}

function projectAt(baseUrl: string, main = 'plain'): JsonObject {
  const clientSecret = '${env:SVCSYNC_CLIENT_SECRET}'
  const test = { baseUrl, clientId: 'svcsync', clientSecret, databases: { main: 1 }, variables: { main } }
  const settings = { retry: { attempts: 1, maxDelay: '5ms' }, sync: { timeout: '300ms' } }
  return { version: 1, manifests: ['manifests'], target: 'test', targets: { test }, settings }
}

describe('a text of the project file', () => {
  const atTop = textsIn(projectSchemaOf(kinds), 'main')
  // Under the target that is there.
  const places = atTop.map((path) => path.map((key, index) => (path[0] === 'targets' && index === 1 ? 'test' : key)))

  it.each(places.map((path, index) => [path.join('.'), path, index] as const))('%s', async (name, path, index) => {
    workspace.manifest(manifest)
    const found: string[] = []
    const right = Object.entries(fitting).find(([end]) => name.endsWith(end))?.[1]
    const wrong: readonly (readonly [string, string])[] = [
      ['${env:PLANT}', values.PLANT],
      ['x${env:PLANT}/*', values.LATER],
      ['${file:secret.txt}', ''],
    ]
    const fits: typeof wrong = right === undefined ? [] : [['${env:PLANT}', right]]
    for (const [template, value] of [...sharedOut(wrong, index, 3), ...fits]) {
      const project = withAt(projectAt(workspace.emulator.url), path, template)
      workspace.write('svcsync.yaml', stringify(project))
      found.push(...(await leaks(index, value)).map((each) => `${template}: ${each}`))
    }
    expect(found).toEqual([])
  })

  it.each([
    ['clientId', { SVCSYNC_CLIENT_SECRET: 'secret' }, 0],
    ['wireNames', { svcId: '${env:PLANT}' }, 1],
    ['variables', { main: '${env:PLANT}' }, 2],
  ] as const)('%s, where the platform quotes it', async (key, value, nr) => {
    workspace.manifest(manifest)
    const { port } = quoting.address() as AddressInfo
    const project = projectAt(`http://127.0.0.1:${port}${key === 'clientId' ? '/refuse' : ''}`)
    const said = key === 'clientId' ? '${env:PLANT}' : value
    workspace.write('svcsync.yaml', stringify(withAt(project, ['targets', 'test', key], said)))
    // Commands that read the platform, and every way to apply: each key has a third of them.
    for (const index of isThorough ? [0] : [7, 10, 13].map((from) => from + nr)) {
      expect(await leaks(index, values.PLANT)).toEqual([])
    }
  })
})

describe('a text of a manifest', () => {
  const ofSections = kinds.flatMap((kind) =>
    kind.sections.flatMap((section) =>
      textsIn(sectionSchemaOf(section), 'main').map((path) => ({
        name: [kind.name, section.key, ...path].join('.'),
        document: (value: string) => documentOf(kind, itemAt(kind, section, path, value), section),
      })),
    ),
  )
  const ofSets = textsIn(setsSchema, 'main').map((path) => ({
    name: ['sets', ...path].join('.'),
    document: (value: string) => ({ sets: withAt({}, path, value) as JsonObject }),
  }))
  const templates = ['${env:PLANT}', 'a ${env:PLANT} b', '${var:main}', '${file:../secret.txt}']

  it.each(sharedOut([...ofSections, ...ofSets], 0, 9).map((each, index) => ({ ...each, index })))(
    '$name',
    async ({ document, index }) => {
      const found: string[] = []
      // Another one in each round of the commands, or each of these would always meet the same one.
      for (const template of sharedOut(templates, index + Math.floor(index / 16), 4)) {
        workspace.write('svcsync.yaml', stringify(projectAt(workspace.emulator.url, '${env:PLANT}')))
        workspace.manifest(stringify({ database: 'main', ...document(template) }))
        found.push(...(await leaks(index, values.PLANT)).map((each) => `${template}: ${each}`))
      }
      expect(found).toEqual([])
    },
  )

  /** A sample with the text in it; of a connection one of the type that goes with it. */
  function itemAt(kind: Kind, section: Section, path: JsonPath, value: string): JsonObject {
    const group = { group: 'clerks@example.com', members: ['jan.kos@example.com'] }
    const { sql: _, type: __, ...named } = samplesOf(kind).full as JsonObject & { sql?: Json; type?: Json }
    const types: Readonly<Record<string, string>> = {
      sql: 'SQL',
      dbb: 'DbB',
      soap: 'SOAP',
      rest: 'REST',
      docportal: 'DocPortal',
      mailserver: 'MailServer',
    }
    const type = types[String(path[0])]
    const base = section !== kind.sections[0] ? group : type === undefined ? samplesOf(kind).full : { ...named, type }
    return withAt(base as Json, path, value) as JsonObject
  }
})

it('looks where something is to be seen', async () => {
  workspace.write('svcsync.yaml', stringify(projectAt(workspace.emulator.url)))
  workspace.manifest(manifest.replace('a ${var:main} b', mark))
  const found = [await leaks(0, 'none'), await leaks(1, 'none')].flat()
  expect(found.length).toBeGreaterThan(isThorough ? 15 : 3)
})
