// Validating: every target at once, what is fair to ask of each, and what is parsed for it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { parseEvents } from 'js-yaml'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formatPlace, type Problem } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { type ValidateRunOptions, type Validation, validateRun } from '../../src/runs/open/validate-run.ts'
import type { Files } from '../manifests/manifest-fixture.ts'

const parsed = vi.hoisted((): string[] => [])
vi.mock('js-yaml', async (original) => {
  const real = await original<{ parseEvents: typeof parseEvents }>()
  const counted: typeof parseEvents = (text, options) => {
    parsed.push(text)
    return real.parseEvents(text, options)
  }
  return { ...real, parseEvents: counted }
})
beforeEach(() => {
  parsed.length = 0
})

const project = `version: 1
manifests: [manifests]
target: test
targets:
  test: { baseUrl: "https://test.example.com", databases: { main: 1 }, overrides: [overrides/test], variables: { url: a } }
  prod: { baseUrl: "https://prod.example.com", databases: { main: 1 }, overrides: [overrides/prod], variables: { url: a } }
  demo: { baseUrl: "https://demo.example.com", databases: { main: 1 }, variables: { url: a } }
`
const base = `groups: [{ svcId: g@x, name: G, members: [u@x] }]
users: [{ svcId: u@x, name: U }]
constants: [{ name: Url, common: "\${var:url}" }]
`
const files = {
  'svcsync.yaml': project,
  'manifests/a.yaml': base,
  'overrides/test/t.yaml': 'groups: [{ svcId: g@x, name: T }]\n',
  'overrides/prod/p.yaml': 'groups: [{ svcId: g@x, name: P }]\n',
} as const

type Settings = Partial<Pick<ValidateRunOptions, 'target' | 'env' | 'variables' | 'previous'>>

const run = (dir: string, settings: Settings = {}): Promise<Validation> =>
  validateRun({ cwd: dir, env: {}, kinds, nowMs: 0, ...settings })

async function inFolder<T>(all: Files, use: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-targets-'))
  try {
    for (const [name, content] of Object.entries(all)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), content)
    }
    return await use(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function validated(changes: Files, settings: Settings = {}): Promise<Validation> {
  return await inFolder({ ...files, ...changes }, (dir) => run(dir, settings))
}

const line = ({ code, place, message, targets }: Problem): string =>
  `${code} ${place === undefined ? '' : formatPlace(place)} ${message}${targets === undefined ? '' : ` [${targets}]`}`
const lines = ({ problems }: Validation): string[] => problems.map(line)

describe('every target', () => {
  it('is looked at, with what it overrides', async () => {
    const found = await validated({})
    expect(found).toMatchObject({
      problems: [],
      complete: true,
      targets: [
        { name: 'test', objects: 3, notSet: [] },
        { name: 'prod', objects: 3 },
        { name: 'demo', objects: 3 },
      ],
    })
    expect([...found.sources.keys()].sort()).toEqual(Object.keys(files).sort())
  })

  it('counts an object once, in however many places it is declared', async () => {
    const more =
      'groups:\n  - { svcId: g@x, owners: [] }\n  - { svcId: G@X, email: e }\n' +
      'memberships: [{ group: g@x, members: [] }]\n'
    const { targets } = await validated({ 'manifests/more.yaml': more })
    expect(targets.map(({ objects }) => objects)).toEqual([3, 3, 3])
  })

  it('shows what is broken in the files of one, and says of which', async () => {
    const found = await validated({ 'overrides/prod/p.yaml': 'groups: [{ svcId: q@x, nmae: P }]\nusers: 5\n' })
    expect(lines(found)).toEqual([
      'SVC1101 overrides/prod/p.yaml:1:24 `nmae` is not a key of an item in `groups` [prod]',
      'SVC1102 overrides/prod/p.yaml:2:8 `users` must be a list, but is the number 5 [prod]',
    ])
  })

  it('shows once what is wrong for all, and for whom it is where that is some', async () => {
    const found = await validated({
      'svcsync.yaml': project.replace('https://prod', 'ftp://prod').replace('{ main: 1 } }\n', '{ other: 1 } }\n'),
      'manifests/a.yaml': `${base}connections: [{ name: C, type: SQL, sql: { common: { sevrer: "\${var:urk}" } } }]\n`,
    })
    expect(lines(found)).toEqual([
      expect.stringMatching(/^SVC1101 manifests\/a\.yaml:4:54 .*`sevrer`[^[]*$/),
      expect.stringMatching(/^SVC1501 svcsync\.yaml:6:20 `baseUrl` is no http address \[prod\]$/),
    ])
  })

  it('is told apart where the same manifest is right for one and wrong for another', async () => {
    const found = await validated({
      'svcsync.yaml': project.replace(
        'demo.example.com", databases: { main: 1 }',
        'demo.example.com", databases: { mian: 1 }',
      ),
      'manifests/a.yaml': `database: main\n${base}`,
    })
    expect(lines(found)).toEqual(['SVC1302 manifests/a.yaml:1:11 There is no database `main` in the target [demo]'])
  })
})

describe('every target', () => {
  it('is told of undeclared accounts and policies by its own', async () => {
    const found = await validated({
      'overrides/prod/p.yaml': 'groups: [{ svcId: g@x, members: [w@x] }]\n',
      'policies/p.yaml':
        'policies: [{ name: not-here, for: [group], expression: ' + `"target.name != 'demo'", message: No }]\n`,
    })
    expect(found.problems.map(({ code, targets }) => [code, targets])).toEqual([
      ['SVC1801', ['demo']],
      ['SVC1317', ['prod']],
    ])
  })

  it('tells of undeclared accounts beside errors, but not where an unreadable manifest may declare them', async () => {
    const overrides = { 'overrides/prod/p.yaml': 'groups: [{ svcId: h@x, members: [w@x] }]\n' }
    const codes = async (base: Files) => (await validated({ ...overrides, ...base })).problems.map(({ code }) => code)
    expect(await codes({})).toEqual(['SVC1316', 'SVC1317'])
    expect(await codes({ 'manifests/b.yaml': 'usres: [{ svcId: w@x }]\n' })).toEqual(['SVC1101'])
  })

  it('is told of manifests beside the project file that nothing reads, and of nothing else there', async () => {
    const found = await validated({
      'more.yaml': 'database: main\nusers:\n  - svcId: x@x\n',
      'tenant.yaml': 'users: []\ndatabases: [{ id: 1 }]\n',
      'import.yaml': 'database: main\n',
      'named.yaml': 'groups: []\n',
      '.hidden.yaml': 'groups: []\n',
      'svcsync.yaml': project.replace('[manifests]', '[manifests, named.yaml]'),
    })
    expect(lines(found)).toEqual([
      expect.stringMatching(/^SVC1001 .*`more\.yaml` looks like a manifest, but is not read$/),
    ])
  })

  it('is not told that a database is missing where its number is a mistake in the project file', async () => {
    const found = await validated({
      'svcsync.yaml': project.replaceAll('{ main: 1 }', '{ main: "1" }'),
      'manifests/a.yaml': `database: main\n${base}`,
      'manifests/b.yaml': 'constants: [{ name: A, common: a }]\n',
    })
    expect(new Set(found.problems.map(({ code, message }) => `${code} ${message}`))).toEqual(
      new Set(['SVC1102 `main` must be a whole number, but is the text `1`']),
    )
  })

  it('is told once for a document that its database is not there', async () => {
    const constants = 'constants: [{ name: A, common: a }, { name: B, common: b }]\n'
    const found = await validated({
      'manifests/b.yaml': `${constants}database: mian\n---\n${constants}database: maim\n`,
    })
    expect(lines(found)).toEqual([
      'SVC1302 manifests/b.yaml:2:11 There is no database `mian` in the target',
      'SVC1302 manifests/b.yaml:5:11 There is no database `maim` in the target',
    ])
  })

  it('is none of the others where one is named', async () => {
    const broken = { 'overrides/prod/p.yaml': 'users: 5\n' }
    expect(await validated(broken, { target: 'test' })).toMatchObject({ problems: [], complete: false })
    expect(await validated(broken, { env: { SVCSYNC_TARGET: 'demo' } })).toMatchObject({
      problems: [],
      complete: false,
    })
    // And then it need not be said which.
    expect(lines(await validated(broken, { target: 'prod' }))).toEqual([expect.not.stringContaining('[prod]')])
  })

  it('needs nobody to choose one, but a choice must be right', async () => {
    const chosen = 'target: test\n'
    expect(await validated({ 'svcsync.yaml': project.replace(chosen, '') })).toMatchObject({ problems: [] })
    const wrong = await validated({ 'svcsync.yaml': project.replace(chosen, 'target: tset\n') })
    expect(lines(wrong)).toEqual(['SVC1502 svcsync.yaml:3:9 There is no target `tset`'])
    expect(lines(await validated({}, { target: 'tset' }))).toEqual([expect.stringContaining('SVC1502')])
  })
})

describe('what another target takes from here', () => {
  const secret = (name: string) =>
    'connections: [{ name: C, type: SQL, sql: { common: { user: ' +
    `u, password: "\${${name}}", server: "\${env:HOST}" } } }]\n`
  const withConnection = `${base}connections: [{ name: C, type: SQL, sql: { common: { server: s } } }]\n`

  it('may be missing, and is named', async () => {
    const found = await validated({
      'manifests/a.yaml': withConnection,
      'overrides/prod/p.yaml': secret('env:PROD_PASSWORD'),
    })
    expect(found).toMatchObject({
      problems: [],
      targets: [{ notSet: [] }, { notSet: ['HOST'], needs: ['PROD_PASSWORD'] }, {}],
    })
    // Pipelines set what they have not got to the empty text.
    const empty = { env: { PROD_PASSWORD: '', HOST: 'h' } }
    const changes = { 'manifests/a.yaml': withConnection, 'overrides/prod/p.yaml': secret('env:PROD_PASSWORD') }
    expect(await validated(changes, empty)).toMatchObject({
      problems: [],
      targets: [{}, { notSet: [], needs: ['PROD_PASSWORD'] }, {}],
    })
    expect(await validated(changes, { target: 'prod' })).toMatchObject({
      problems: [{ code: 'SVC1201', message: 'The environment variable `HOST` is not set' }],
      targets: [{ needs: ['PROD_PASSWORD'] }],
    })
  })

  it('may be the file of a credential, and no other file', async () => {
    const found = await validated({
      'manifests/a.yaml': withConnection,
      'overrides/prod/p.yaml': `${secret('file:mounted.txt')}constants: [{ name: Url, common: "\${file:url.txt}" }]\n`,
    })
    expect(found.problems).toMatchObject([{ code: 'SVC1202', message: expect.stringContaining('url.txt') }])
    expect(found.targets[1]).toMatchObject({ notSet: ['HOST'], needs: ['mounted.txt'] })
  })

  it('must be there where it is the target that is meant, or the manifests of all want it', async () => {
    const chosen = { 'manifests/a.yaml': withConnection, 'overrides/test/t.yaml': secret('env:P') }
    expect((await validated(chosen)).problems).toMatchObject([{ code: 'SVC1201', targets: ['test'] }])
    const shared = { 'manifests/a.yaml': `${base}${secret('env:P')}` }
    expect((await validated(shared)).problems).toMatchObject([{ code: 'SVC1201' }])
    expect((await validated(shared)).problems[0]?.targets).toBeUndefined()
  })

  it('is needed by applies alone where nothing else looks at the field, in the manifests of all as well', async () => {
    const shared = { 'manifests/a.yaml': `${base}${secret('env:P')}` }
    const found = await validated(shared, { env: { HOST: 'h', P: '' } })
    expect(found).toMatchObject({ problems: [], targets: [{ needs: ['P'] }, { needs: ['P'] }, { needs: ['P'] }] })
    // In a field that is compared it is missing all the same.
    const both = { 'manifests/a.yaml': `${base}${secret('env:HOST')}` }
    expect(lines(await validated(both))).toEqual([
      expect.stringMatching(/^SVC1201 manifests\/a\.yaml:4:97 .*`HOST` is not set$/),
    ])
  })

  it('may be behind a variable of the target, wherever that is used', async () => {
    const behind = (name: string) => ({
      'svcsync.yaml': project.replace(/url: a(.*\n.*demo)/, `url: "\${env:${name}}"$1`),
      'manifests/a.yaml':
        `${base}connections: [{ name: C, type: "\${var:url}", sql: { common: ` +
        '{ server: "${var:url}", integratedAuthentication: "${var:url}" } } }]\n',
    })
    // Of the others, `a` is no type and no truth value; prod is unknown.
    const found = await validated(behind('PROD_URL'))
    expect(found.problems.map(({ code, targets }) => [code, targets])).toEqual([
      ['SVC1104', ['test', 'demo']],
      ['SVC1102', ['test', 'demo']],
    ])
    expect(found.targets[1]?.notSet).toEqual(['PROD_URL'])
    // Where it is required, it is missing once, and not again where the variable is used.
    expect(lines(await validated(behind('PROD_URL'), { target: 'prod' }))).toEqual([
      expect.stringContaining('SVC1201 svcsync.yaml:6:'),
    ])
  })
})

describe('what is parsed', () => {
  const policies = 'policies: [{ name: named, for: [group], expression: "has(object.name)", message: No }]\n'
  const all = { ...files, 'policies/p.yaml': policies, 'manifests/b.yaml': 'users: [{ svcId: b@x }]\n' }

  it('is each file once for all targets, and in the next run what has changed', async () => {
    await inFolder(all, async (dir) => {
      const first = await run(dir)
      expect([...parsed].sort()).toEqual(Object.values(all).sort())
      const again = async (file: string, text: string | undefined, previous: Validation): Promise<Validation> => {
        if (text === undefined) rmSync(join(dir, file))
        else {
          mkdirSync(dirname(join(dir, file)), { recursive: true })
          writeFileSync(join(dir, file), text)
        }
        parsed.length = 0
        const next = await run(dir, { previous })
        const texts = [...parsed]
        expect(texts).toEqual(text === undefined ? [] : [text])
        expect(lines(next)).toEqual(lines(await run(dir)))
        return next
      }
      let last = await again('manifests/b.yaml', 'users: [{ svcId: c@x }]\n', first)
      last = await again('overrides/prod/p.yaml', 'groups: [{ svcId: h@x }]\n', last)
      expect(lines(last)).toEqual([expect.stringMatching(/^SVC1316 .*\[prod\]$/)])
      last = await again('manifests/new.yaml', 'users: [\n', last)
      last = await again('policies/p.yaml', policies.replace('No', 'Not so'), last)
      last = await again('manifests/new.yaml', undefined, last)
      last = await again('overrides/prod/p.yaml', files['overrides/prod/p.yaml'], last)
      // A project file of which nothing can be made does not cost what was known of the manifests.
      const broken = await again('svcsync.yaml', 'version: [', last)
      expect(broken).toMatchObject({ problems: [{ code: 'SVC1003' }], opened: [] })
      expect(await again('svcsync.yaml', project, broken)).toMatchObject({ problems: [] })
    })
  })
})
