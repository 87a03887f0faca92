// Editor support: the real YAML language server with the published schemas, spoken to as an editor does.
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { branchesOf, cursor, type Node, offsetOfKey, valueFor } from './branches.ts'
import { Editor, type Position } from './editor.ts'

let editor: Editor
let files = 0

beforeAll(async () => {
  editor = await Editor.start({
    'schemas/manifest.schema.json': ['**/manifests/*.yaml'],
    'schemas/project.schema.json': ['**/svcsync.yaml'],
    'schemas/exceptions.schema.json': ['**/exceptions.yaml'],
  })
})
afterAll(() => editor?.end())

/** Opens a new file; `¦` marks where the cursor stands. */
async function openAt(marked: string, place = `manifests/file-${files++}.yaml`) {
  const before = marked.slice(0, marked.indexOf('¦')).split('\n')
  const cursor: Position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
  const underlined = await editor.open(place, marked.replace('¦', ''))
  return { path: place, cursor, underlined }
}

async function offered(marked: string, place?: string): Promise<string[]> {
  const { path, cursor } = await openAt(marked, place)
  return (await editor.complete(path, cursor)).map(({ label }) => label)
}

async function bubble(marked: string, place?: string): Promise<string> {
  const { path, cursor } = await openAt(marked, place)
  return editor.hover(path, cursor)
}

describe.each([
  ['manifests', 'manifest', () => `manifests/file-${files++}.yaml`],
  ['project files', 'project', () => `project-${files++}/svcsync.yaml`],
  ['exceptions', 'exceptions', () => `project-${files++}/exceptions.yaml`],
] as const)('in every branch of %s', (_, name, place) => {
  const branches = branchesOf(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')) as Node)

  const properties = branches.flatMap(({ path, node, textWith }) =>
    Object.entries(node.properties ?? {}).map(([key, property]) => ({
      path: `${path}/${key}`,
      key,
      property,
      textWith,
    })),
  )
  const unique = (labels: readonly string[]) => [...new Set(labels)].sort()

  it('completion offers what may stand there, and nothing else', async () => {
    const found = await Promise.all(
      branches.map(async ({ path, textWith }) => [path, unique(await offered(textWith({ [cursor]: null }), place()))]),
    )
    const allowed = branches.map(({ path, node, present }) => {
      return [path, unique(Object.keys(node.properties ?? {}).filter((key) => !present.includes(key)))]
    })
    expect(found).toEqual(allowed)
  })

  it('completion offers all values of a list of them', async () => {
    const listed = properties.filter(({ property }) => property.enum !== undefined)
    const found = await Promise.all(
      listed.map(async ({ path, key, textWith }) => {
        const text = textWith({ [key]: cursor }).replace(new RegExp(`"?${cursor}"?`), cursor)
        return [path, unique((await offered(text, place())).map((label) => label.replaceAll('"', '')))]
      }),
    )
    expect(found).toEqual(listed.map(({ path, property }) => [path, unique((property.enum ?? []).map(String))]))
  })

  it('the bubble tells what a key is for, with an example or its values', async () => {
    const wanting = await Promise.all(
      properties.map(async ({ path, key, property, textWith }) => {
        const text = textWith({ [key]: valueFor(property) })
        const at = offsetOfKey(text, path) + 1
        const marked = `${text.slice(0, at)}${cursor}${text.slice(at)}`
        const shown = plain(await bubble(marked, place()))
        const isTold = shown.includes(plain(property.description ?? '')) && /```|Allowed Values/.test(shown)
        return isTold ? [] : [[path, shown]]
      }),
    )
    expect(wanting.flat()).toEqual([])
  })

  it('a wrong key is underlined where it stands, with one message', async () => {
    // Others take any key, with a value of its own shape.
    const closed = branches.filter(({ node }) => node.additionalProperties === false)
    const found = await Promise.all(
      closed.map(async ({ path, textWith }) => {
        const text = textWith({ zzz: 'x' })
        const { underlined } = await openAt(text, place())
        return [path, underlined.map(({ message, range }) => [message, text.split('\n')[range.start.line]?.trim()])]
      }),
    )
    const message = 'Property zzz is not allowed.'
    expect(found).toEqual(closed.map(({ path }) => [path, [[message, expect.stringMatching(/zzz: x$/)]]]))
  })
})

/** Without the signs that Markdown needs. */
function plain(text: string): string {
  return text.replace(/\\(.)/g, '$1').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&nbsp;', ' ')
}

describe('completion', () => {
  it('of keys at the top', async () => {
    const sections = kinds.flatMap((kind) => kind.sections.filter(({ within }) => within === undefined))
    const keys = await offered('database: main\n¦')
    expect(keys).toEqual(expect.arrayContaining(sections.map(({ key }) => key)))
    expect(keys).not.toContain('database')
  })

  it('of keys in a user, without those that stand there', async () => {
    expect(await offered('users:\n  - svcId: anna@example.com\n    email: a@example.com\n    ¦')).toEqual([
      'name',
      'phoneNumber',
      'managerSvcId',
      'jobTitle',
      'extra',
      'replaces',
      'until',
      'absent',
      'unmanaged',
    ])
  })

  it("of keys in an environment of a connection's settings", async () => {
    expect(await offered('connections:\n  - name: ERP\n    type: SQL\n    sql:\n      common:\n        ¦')).toEqual([
      'server',
      'database',
      'integratedAuthentication',
      'connectionType',
      'trustCertificate',
      'user',
      'password',
      'clientId',
      'clientSecret',
      'rotation',
      'extra',
    ])
  })

  it('of keys in what nests, and in the long form of a privilege', async () => {
    const formType =
      'processes:\n  - process: p\n    workflows:\n      - workflow: w\n        formTypes:\n          - formType: f\n'
    expect(await offered(`${formType}            ¦`)).toEqual(['privileges', 'manage', 'unmanaged'])
    const start = 'processes:\n  - process: p\n    privileges:\n      Start:\n        - svcId: a\n'
    expect(await offered(`${start}          ¦`)).toContain('company')
  })

  it('of the long form of an environment, and of inheritance beside its settings', async () => {
    expect(await offered('constants:\n  - name: a\n    test:\n      ¦')).toEqual(
      expect.arrayContaining(['value', 'inherit']),
    )
    const settings = 'connections:\n  - name: a\n    type: SQL\n    sql:\n      test:\n        ¦'
    expect(await offered(settings)).toEqual(expect.arrayContaining(['inherit', 'server']))
    expect(await offered(settings.replace('test:', 'common:'))).not.toContain('inherit')
  })

  it('of what an override may leave unmanaged', async () => {
    expect(await offered('users:\n  - svcId: a\n    unmanaged:\n      - ¦')).toContain('jobTitle')
    const connection = 'connections:\n  - name: a\n    type: SQL\n    unmanaged:\n      - ¦'
    expect(await offered(connection)).toEqual(expect.arrayContaining(['sql', 'sql.test', 'sql.test.server']))
  })

  it('of the values of a field', async () => {
    const connection = 'connections:\n  - name: a\n    type: '
    const types = ['SQL', 'DbB', 'SOAP', 'REST', 'DocPortal', 'MailServer']
    expect(await offered(`${connection}¦`)).toEqual(types)
    const bindings = ['HttpSecurityNone', 'HttpBasic', 'HttpNtlm', 'HttpsBasic', 'HttpsNoCredentials']
    expect(await offered(`${connection}SOAP\n    soap:\n      common:\n        binding: ¦`)).toEqual(bindings)
    const managed = 'groups:\n  - svcId: g\n    manage:\n      members: ¦'
    expect(await offered(managed)).toEqual(['exclusive', 'additive'])
  })
})

describe('hover', () => {
  it.each([
    ['users:\n  - svcId: a\n    job¦Title: x', 'User', 'Position in the organisation.'],
    [
      'processes:\n  - process: p\n    workflows:\n      - work¦flow: w',
      'Workflow',
      'The workflow: its name, guid or id.',
    ],
    ['memberships:\n  - gr¦oup: g\n    members: [a]', 'Item of memberships', 'The svcId of the group.'],
    ['constants:\n  - name: a\n    t¦est: x', 'Constant', '`null` restores inheritance; an empty string is a value.'],
    ['constants:\n  - name: a\n    t¦est: { value: x }', 'Environment at length', 'The value in the environment test.'],
    ['constants:\n  - name: a\n    test: { inh¦erit: true }', 'Environment at length', 'the same as `null` instead'],
  ])('%j tells the field', async (marked, title, description) => {
    const shown = (await bubble(marked)).replace(/\\(.)/g, '$1')
    expect(shown).toContain(`#### ${title}\n`)
    expect(shown).toContain(description)
  })
})

describe('what is underlined', () => {
  const range = (line: number, from: number, to: number) => ({
    start: { line, character: from },
    end: { line, character: to },
  })

  it('is a key that nobody knows', async () => {
    const { underlined } = await openAt('users:\n  - svcId: a\n    nmae: b¦\n')
    expect(underlined).toMatchObject([{ range: range(2, 4, 8), message: 'Property nmae is not allowed.' }])
  })

  it('is a value that the field does not take, and a credential in clear text', async () => {
    const { underlined } = await openAt(
      'connections:\n  - name: a\n    type: Sql\n    sql:\n      common:\n        password: hunter2¦\n',
    )
    expect(underlined.map((each) => each.range)).toEqual([range(2, 10, 13), range(5, 18, 25)])
  })

  it('is what an item lacks, in words that name it', async () => {
    const { underlined } = await openAt('users:\n  - name: a¦\ngroups:\n  - \n')
    expect(underlined.map(({ message }) => message).sort()).toEqual([
      'Incorrect type. Expected "Group".',
      'Missing property "svcId".',
    ])
  })

  it('is nothing where numbers, variables and null stand in fields that take them', async () => {
    const { underlined } = await openAt(
      'database: 1\nconstants:\n  - { name: 7, groupId: "${var:g}", common: 0755, test: null, prod: yes }¦\n',
    )
    expect(underlined).toEqual([])
  })

  it('is an environment at length that contradicts itself, and none that does not', async () => {
    const connection = (test: string) => `connections:\n  - { name: a, type: SQL, sql: { test: ${test} } }\n`
    const constant = (test: string) => `constants:\n  - { name: a, common: { value: c }, test: ${test} }\n`
    const wrong = [
      connection('{ inherit: true, server: s }'),
      ...['{ inherit: true, value: v }', '{ inherit: false }', '{}', '{ value: null }'].map(constant),
    ]
    const right = [
      ...['{ inherit: true }', '{ inherit: false, server: s }', '{ inherit: "${var:i}", server: s }'].map(connection),
      ...['{ inherit: true }', '{ value: 07 }', '{ inherit: false, value: "" }', '{ inherit: "${var:i}" }'].map(
        constant,
      ),
    ]
    const isMarked = async (text: string) => [text, (await openAt(`${text}¦`)).underlined.length > 0]
    expect(await Promise.all(wrong.map(isMarked))).toEqual(wrong.map((text) => [text, true]))
    expect(await Promise.all(right.map(isMarked))).toEqual(right.map((text) => [text, false]))
  })

  it('is the key alone where an entry or an environment at length has it wrong', async () => {
    for (const [text, ...messages] of [
      ['constants:\n  - { name: a, dev: { vaule: x } }\n', 'Property vaule is not allowed.'],
      ['groups:\n  - { svcId: a, members: [{ svcId: b, untill: x }] }\n', 'Property untill is not allowed.'],
      [
        'groups:\n  - { svcId: a, members: [{ svcid: b }] }\n',
        'Missing property "svcId".',
        'Property svcid is not allowed.',
      ],
    ]) {
      const { underlined } = await openAt(`${text}¦`)
      expect([text, ...underlined.map(({ message }) => message).sort()]).toEqual([text, ...messages])
    }
  })

  it('is nothing in the examples', async () => {
    const organisation = findManifestFiles('examples/organisation', ['manifests']).files
    const paths = [
      ...findManifestFiles('examples/quickstart', ['manifests']).files,
      ...organisation.filter((_, index) => index % 20 === 0),
      ...['quickstart', 'organisation'].map((name) => resolve('examples', name, 'svcsync.yaml')),
    ].map((path) => relative('.', path))
    const results = await Promise.all(
      paths.map(async (path) => [path, await editor.open(path, readFileSync(path, 'utf8'))] as const),
    )
    expect(results).toHaveLength(18)
    expect(results.filter(([, underlined]) => underlined.length > 0)).toEqual([])
  })

  it('is a wrong key in a file that names its schema in its first line', async () => {
    const line = '# yaml-language-server: $schema=../../../../schemas/manifest.schema.json\n'
    const underlined = await editor.open('examples/organisation/manifests/new/m.yaml', `${line}user: []\n`)
    expect(underlined).toMatchObject([{ range: range(1, 0, 4), message: 'Property user is not allowed.' }])
  })

  it('is a wrong key in a project file', async () => {
    const text = readFileSync('examples/quickstart/svcsync.yaml', 'utf8')
    const underlined = await editor.open('examples/new/svcsync.yaml', `${text}\nguard: {}\n`)
    expect(underlined).toMatchObject([{ message: 'Property guard is not allowed.' }])
  })
})
