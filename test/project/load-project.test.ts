// The project file: what it gives, what the environment overrides, and what is wrong with it.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { kinds } from '../../src/kinds/index.ts'
import { loadProject } from '../../src/project/load-project.ts'
import { brief, inFolder, shownText } from '../manifests/manifest-fixture.ts'

const minimal = 'version: 1\nmanifests: [m]\ntargets:\n  t: { baseUrl: https://svc.example.com }\n'

type Options = Partial<Parameters<typeof loadProject>[1]>

function load(yaml: string, options: Options = {}, files: Record<string, string> = {}) {
  return inFolder({ 'm.yaml': yaml, ...files }, (dir) =>
    loadProject(join(dir, 'm.yaml'), { kinds, env: {}, displayBase: dir, needCredentials: false, ...options }),
  )
}

/** Without the warnings that a setting has no effect: they have a test of their own. */
const problems = (yaml: string, options: Options = {}) => brief(load(yaml, options).problems)

describe('a project', () => {
  it('has defaults', () => {
    expect(load(minimal)).toMatchObject({
      problems: [],
      project: {
        manifests: ['m'],
        manifestPlaces: [{ file: 'm.yaml', line: 2, column: 13 }],
        targetName: 't',
        target: {
          name: 't',
          baseUrl: 'https://svc.example.com',
          authUrl: 'https://svc.example.com',
          apiVersion: '6.0',
          clientId: '',
          databases: {},
          variables: {},
          wireNames: {},
          svcIds: 'ignore-case',
        },
        settings: {
          concurrency: 16,
          pageSize: 200,
          retry: { attempts: 5, maxDelayMs: 30_000 },
          sync: { timeoutMs: 120_000 },
          collections: 'exclusive',
        },
        prune: {},
        guards: { deletions: { max: 10, percent: 20 }, removals: { max: 50, percent: 30 } },
        protect: [],
      },
    })
  })

  it('lets nothing but its credentials name those of svcsync where SVCSYNC_ALLOW_ENV does not', () => {
    const secret = '"${env:SVCSYNC_CLIENT_SECRET}"'
    const yaml = `version: 1
manifests: [m]
targets:
  t:
    baseUrl: https://svc.example.com
    clientSecret: ${secret}
    variables: { clientSecret: ${secret} }
`
    const env = { SVCSYNC_ALLOW_ENV: 'ERP_*', SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'hush' }
    expect(problems(yaml, { env, needCredentials: true })).toEqual([
      'SVC1205 7:32 Files may not name the environment variable `SVCSYNC_CLIENT_SECRET` here',
    ])
  })
})

describe('a project', () => {
  it('says everything else itself', () => {
    const yaml = `version: 1
manifests: [a, "b/*.yaml"]
target: two
targets:
  one: &one { baseUrl: https://one.example.com/, databases: { main: 1, "8": 3, "2": 4 } }
  two:
    <<: *one
    apiVersion: 5.0
    authUrl: "https://\${env:HOST}/auth/"
    clientId: "\${env:ID}"
    clientSecret: "\${file:secret.txt}"
    variables: { "10": ten, b: "\${env:HOST}", "9": nine }
    wireNames: { svcId: realId }
    svcIdCase: exact
settings: { concurrency: 3, pageSize: 9, retry: { attempts: 1, maxDelay: 500ms }, sync: { timeout: 1.5m }, collections: additive }
prune: { groups: ["proj-*"], users: [x] }
guards: { deletions: { max: 0 }, removals: { percent: 100 } }
protect: [group/a]
`
    const env = { HOST: 'login.example.com', ID: 'me' }
    const { project, problems: found } = load(yaml, { env, needCredentials: true }, { 'secret.txt': 'hush\n' })
    expect(found).toEqual([])
    expect(project?.target).toMatchObject({
      baseUrl: 'https://one.example.com',
      authUrl: 'https://login.example.com/auth',
      apiVersion: '5.0',
      clientId: new Sensitive('${env:ID}', 'me'),
      databases: { main: 1, 8: 3, 2: 4 },
      variables: { 9: 'nine', 10: 'ten', b: new Sensitive('${env:HOST}', 'login.example.com') },
      wireNames: { svcId: 'realId' },
      svcIds: 'case-sensitive',
    })
    expect(project?.target.clientSecret?.reveal()).toBe('hush')
    expect(JSON.stringify(project)).not.toContain('hush')
    expect(project).toMatchObject({
      settings: {
        concurrency: 3,
        pageSize: 9,
        retry: { attempts: 1, maxDelayMs: 500 },
        sync: { timeoutMs: 90_000 },
        collections: 'additive',
      },
      prune: { groups: ['proj-*'], users: ['x'] },
      guards: { deletions: { max: 0, percent: 20 }, removals: { max: 50, percent: 100 } },
      protect: ['group/a'],
    })
  })
})

describe('a project', () => {
  it('is filled by the environment where it says nothing, and both stand behind the command line', () => {
    const env = {
      SVCSYNC_TARGET: 't',
      SVCSYNC_BASE_URL: 'http://127.0.0.1:1/',
      SVCSYNC_AUTH_URL: 'https://auth.example.com',
      SVCSYNC_CLIENT_ID: 'id',
      SVCSYNC_CLIENT_SECRET: 'hush',
    }
    const yaml = 'version: 1\nmanifests: [m]\ntargets:\n  t: {}\n  u: { baseUrl: "https://u" }\n'
    const { project, problems: found } = load(yaml, { env, needCredentials: true })
    expect(found).toEqual([])
    expect(project?.target).toMatchObject({
      name: 't',
      baseUrl: 'http://127.0.0.1:1',
      authUrl: 'https://auth.example.com',
      clientId: new Sensitive('${env:SVCSYNC_CLIENT_ID}', 'id'),
    })
    expect(project?.target.clientSecret?.reveal()).toBe('hush')
    const overrides = { variables: { a: 'b' }, concurrency: 2, addresses: { baseUrl: 'https://v/' } }
    const other = load(yaml, { env: { SVCSYNC_TARGET: 't' }, target: 'u', overrides }).project
    expect(other).toMatchObject({
      targetName: 'u',
      target: { variables: { a: 'b' }, baseUrl: 'https://v', authUrl: 'https://v' },
      settings: { concurrency: 2 },
    })
  })

  it('wants the variables of the chosen target only, and credentials only where they are needed', () => {
    const yaml =
      `${minimal}  u: { baseUrl: "https://\${env:NO}", clientId: ` +
      '"${env:NO}", clientSecret: "${env:NO}" }\ntarget: t\n'
    expect(problems(yaml)).toEqual([])
    expect(problems(yaml, { target: 'u' })).toEqual(['SVC1201 5:17 The environment variable `NO` is not set'])
    expect(problems(yaml, { target: 'u', needCredentials: true }).map((line) => line.slice(0, 12))).toEqual([
      'SVC1201 5:17',
      'SVC1201 5:48',
      'SVC1201 5:75',
    ])
    expect(problems(yaml, { needCredentials: true })).toEqual([
      'SVC1501 4:6 The target `t` has no `clientId`',
      'SVC1501 4:6 The target `t` has no `clientSecret`',
    ])
  })
})

it.each([
  ['no YAML', 'version: [', 'SVC1003 1:11 This is not YAML: unexpected end of the stream within a flow collection'],
  ['nothing', '# empty\n', 'SVC1501 1:1 The project file is empty'],
  [
    'two documents',
    `${minimal}---\n${minimal}`,
    'SVC1501 6:1 A project file is one document, and another one begins here',
  ],
  ['an unknown key', `${minimal}setings: {}`, 'SVC1101 5:1 `setings` is not a key of the project file'],
  ['another version', minimal.replace('1', '2'), 'SVC1501 1:10 `version` is 2, but this svcsync knows only 1'],
  ['no version', minimal.slice(11), 'SVC1103 1:1 The key `version` is missing'],
  ['no manifests', minimal.replace('[m]', '[]'), 'SVC1105 2:12 `manifests` needs at least 1 entry'],
  ['no targets', 'version: 1\nmanifests: [m]\ntargets: {}', 'SVC1502 3:10 There is no target'],
  ['an unknown target', `${minimal}target: tt`, 'SVC1502 5:9 There is no target `tt`'],
  ['no chosen target', `${minimal}  u: { baseUrl: "https://u" }`, 'SVC1502 1:1 No target is chosen'],
  [
    'no address',
    minimal.replace('baseUrl: https://svc.example.com', ''),
    'SVC1103 4:6 The target `t` has no `baseUrl`',
  ],
  ['a bad address', minimal.replace('https:', 'ftp:'), 'SVC1501 4:17 `baseUrl` is no http address'],
  [
    'an address of the interface',
    minimal.replace('.com', '.com/api/data/v6.0/'),
    'SVC1501 4:17 `baseUrl` contains the path that svcsync adds',
  ],
  ['a query', minimal.replace('.com', '.com/?a'), 'SVC1501 4:17 `baseUrl` has a query or a fragment'],
  ['no https', minimal.replace('https', 'http'), 'SVC1501 4:17 `baseUrl` is not https: credentials travel in clear'],
  [
    'no https, on purpose',
    minimal.replace('https', 'http').replace(' }', ', allowInsecureHttp: true }'),
    'warning SVC1501 4:17 `baseUrl` is not https: credentials travel in clear',
  ],
  ['a bad duration', `${minimal}settings: { sync: { timeout: 2 } }`, 'SVC1501 5:30 `timeout` is no duration'],
  [
    'a bad share',
    `${minimal}guards: { removals: { percent: 101 } }`,
    'SVC1501 5:32 `percent` is 101, and a share is at most 100',
  ],
  ['a bad version of the API', minimal.replace(' }', ', apiVersion: 6 }'), 'SVC1104 4:54 `apiVersion` cannot be `6`'],
  [
    'an unknown guard',
    `${minimal}guards: { deletion: { max: 3 } }`,
    'SVC1101 5:11 `deletion` is not a key of `guards`',
  ],
  [
    'protecting a svcId instead of an address',
    `${minimal}protect: [admins@example.com, "*/x", "**/x"]`,
    'SVC1501 5:11 `admins@example.com` matches no address, and would protect nothing',
  ],
  [
    'protecting what is no kind',
    `${minimal}protect: ["gruop/a*"]`,
    'SVC1501 5:11 `gruop/a*` matches no address, and would protect nothing',
  ],
  [
    'pruning by addresses',
    `${minimal}prune: { groups: ["Group/proj-*"] }`,
    'SVC1501 5:19 `Group/proj-*` is a pattern over addresses',
  ],
  [
    'pruning what is never deleted',
    `${minimal}prune: { constants: [a] }`,
    'SVC1101 5:10 `constants` is not a key of `prune`',
  ],
  [
    'a variable',
    `${minimal}protect: ["\${var:a}"]`,
    'SVC1204 5:11 Variables are for manifests, not for the project file',
  ],
  ['a malformed reference', `${minimal}protect: ["\${a}"]`, 'SVC1204 5:11 The reference is of no known kind'],
  [
    'a key that is a number',
    minimal.replace(' }', ', databases: { 1: 1 } }'),
    'SVC1102 4:55 A key must be a text, but there is `1`',
  ],
  [
    'no dbId',
    minimal.replace(' }', ', databases: { main: x } }'),
    'SVC1102 4:61 `main` must be a whole number, but is the text `x`',
  ],
])('problems of the project file: %s', (_, yaml, expected) => expect(problems(yaml)).toEqual([expected]))

describe('problems of the project file', () => {
  it('a literal for a secret is refused and not shown', () => {
    for (const secret of ['clientSecret: canary', 'clientSecrt: canary', 'clientId: !x y, clientSecret: "canary"']) {
      const result = load(minimal.replace(' }', `, ${secret} }`), { needCredentials: true })
      expect(result.problems.map(({ code }) => code)).toContain(secret.includes('Secrt') ? 'SVC1101' : 'SVC1106')
      expect(shownText(result)).not.toContain('canary')
    }
    const inUrl = load(minimal.replace('https://', 'https://me:canary@'))
    expect(brief(inUrl.problems)).toEqual(['SVC1501 4:17 `baseUrl` holds credentials'])
    expect(shownText(inUrl)).not.toContain('canary')
  })

  it('a bad address of the command line points to the target, and at no line that is right', () => {
    const given = (baseUrl: string) => problems(minimal, { overrides: { addresses: { baseUrl } } })
    expect(given('https://me:canary@v')).toEqual(['SVC1501 4:6 `--base-url` holds credentials'])
    expect(given('ftp://v')).toEqual(['SVC1501 4:6 `--base-url` is no http address'])
    const open = minimal.replace(' }', ', allowInsecureHttp: true }')
    const addresses = { baseUrl: 'http://v' }
    expect(problems(open, { overrides: { addresses } })).toEqual([
      'warning SVC1501 4:6 `--base-url` is not https: credentials travel in clear',
    ])
  })

  it('a missing file and an unknown target name what was asked for', () => {
    const missing = inFolder({}, (dir) => loadProject(join(dir, 'no.yaml'), { kinds, env: {}, displayBase: dir }))
    expect(brief(missing.problems)).toEqual(['SVC1502 `no.yaml` cannot be read: there is no such file'])
    expect(problems(minimal, { target: 'x' })).toEqual(['SVC1502 4:3 There is no target `x` (from `--target`)'])
    expect(problems(minimal, { env: { SVCSYNC_TARGET: 'x' } })).toEqual([
      'SVC1502 4:3 There is no target `${env:SVCSYNC_TARGET}`',
    ])
  })
})

describe('files outside the project', () => {
  const yaml = (settings: string) => `version: 1
manifests: [m]
settings: { ${settings} }
targets:
  t: { baseUrl: https://svc.example.com, clientId: c, clientSecret: "\${file:../run/secret.txt}" }
`
  const inside = (settings: string, env = {}) =>
    inFolder({ 'project/m.yaml': yaml(settings), 'run/secret.txt': 'from-a-mounted-file' }, (dir) =>
      loadProject(join(dir, 'project/m.yaml'), { kinds, env: { ...env, RUN: join(dir, 'run') }, displayBase: dir }),
    )

  it.each(['readFilesFrom: [../run]', 'readFilesFrom: ["${env:RUN}"]'])('are read where %s', (settings) => {
    const { project, problems } = inside(settings)
    expect(brief(problems)).toEqual([])
    expect(project?.target.clientSecret?.reveal()).toBe('from-a-mounted-file')
    expect(project?.settings.readFilesFrom).toEqual([expect.stringMatching(/^\/.*\/run$/)])
  })

  it('are out of reach otherwise', () => {
    expect(brief(inside('readFilesFrom: [../other]').problems)).toEqual([
      'SVC1202 project/m.yaml:5:69 The file `../run/secret.txt` is outside the project',
    ])
  })
})

describe('what a target says for itself', () => {
  const yaml = `version: 1
manifests: [m]
target: a
settings: { concurrency: 4, retry: { attempts: 3, maxDelay: 10s }, timeZone: Europe/Warsaw }
prune: { users: ["x-*"], groups: ["proj-*"] }
guards: { deletions: { max: 5, percent: 50 } }
protect: [group/admins]
targets:
  a: { baseUrl: https://a.example.com }
  b:
    baseUrl: https://b.example.com
    settings: { retry: { attempts: 9 }, sync: { timeout: 5m }, collections: additive }
    prune: { groups: [] }
    guards: { deletions: { max: 1 }, removals: { percent: 7 } }
    protect: ["group/*", "user/*"]
`

  it('takes the place of what stands at the top, key by key, and lists whole', () => {
    const { project } = load(yaml, { target: 'b' })
    expect(project?.settings).toMatchObject({
      concurrency: 4,
      retry: { attempts: 9, maxDelayMs: 10_000 },
      sync: { timeoutMs: 300_000 },
      timeZone: 'Europe/Warsaw',
      collections: 'additive',
    })
    expect(project?.prune).toEqual({ users: ['x-*'], groups: [] })
    expect(project?.guards).toMatchObject({ deletions: { max: 1, percent: 50 }, removals: { max: 50, percent: 7 } })
    expect(project?.protect).toEqual(['group/*', 'user/*'])
  })

  it('is nothing to another target', () => {
    const { project } = load(yaml)
    expect(project?.settings).toMatchObject({ retry: { attempts: 3 }, collections: 'exclusive' })
    expect(project).toMatchObject({ prune: { groups: ['proj-*'] }, protect: ['group/admins'] })
    expect(project?.guards.deletions).toEqual({ max: 5, percent: 50 })
  })

  it('is wrong where it stands, and nowhere else', () => {
    const wrong = yaml.replace('timeout: 5m', 'timeout: 5 moons').replace('percent: 7', 'percent: 101')
    expect(problems(wrong)).toEqual([])
    expect(problems(wrong, { target: 'b' })).toEqual([
      'SVC1501 12:58 `timeout` is no duration',
      'SVC1501 14:59 `percent` is 101, and a share is at most 100',
    ])
    expect(problems(yaml.replace('protect: ["', 'protects: ["'))).toEqual([
      expect.stringContaining('SVC1101 15:5 `protects` is not a key'),
    ])
  })
})
