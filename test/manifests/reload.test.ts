// A load that takes over files of an earlier one gives what a load from nothing gives, and parses what it must.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { parseEvents } from 'js-yaml'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { type LoadOptions, loadManifests } from '../../src/manifests/load-manifests.ts'
import { openProject } from '../../src/runs/open/open-project.ts'
import { type Files, inFolder } from './manifest-fixture.ts'

type LoadResult = ReturnType<typeof loadManifests>

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

type Settings = Partial<Pick<LoadOptions, 'env' | 'variables' | 'withhold' | 'displayBase' | 'texts' | 'onText'>>

function loadFolder(dir: string, settings: Settings = {}, previous?: LoadResult): LoadResult {
  const { files } = findManifestFiles(dir, ['.'])
  const options = { files, kinds, variables: {}, env: {}, projectDir: dir, displayBase: dir, ...settings }
  return loadManifests(options, previous)
}

/** Everything that can be seen of a result. */
function seen({ declarations, problems, sets, sources, needs }: LoadResult): unknown {
  const revealed = (_: string, value: unknown) =>
    value instanceof Sensitive ? [value.template, value.reveal()] : value
  return JSON.parse(
    JSON.stringify(
      {
        declarations: declarations.map(({ kind, section, item, source, database, parent }) => ({
          what: [kind.name, section.key, source.file, database, parent?.item],
          item,
        })),
        problems,
        needs,
        sets: [...sets.values()].map(({ name, items, place }) => ({ name, items, place })),
        sources: [...sources].map(([file, { text }]) => [file, text]),
      },
      revealed,
    ),
  )
}

/**
 * Loads, changes something, and loads again: with what was there and without must be equal. Returns what was parsed.
 */
function reparsed(
  files: Files,
  change: (dir: string) => void,
  before: Settings = {},
  after: Settings = before,
): string[] {
  return inFolder(files, (dir) => {
    const previous = loadFolder(dir, before)
    change(dir)
    const fresh = loadFolder(dir, after)
    parsed.length = 0
    const reloaded = loadFolder(dir, after, previous)
    const texts = [...parsed]
    expect(seen(reloaded)).toEqual(seen(fresh))
    // Taken over once more, and from what was taken over.
    parsed.length = 0
    expect(seen(loadFolder(dir, after, reloaded))).toEqual(seen(fresh))
    expect(parsed).toEqual([])
    return texts
  })
}

const user = (name: string) => `users: [{ svcId: ${name} }]\n`
const three = { 'a.yaml': user('a'), 'b.yaml': user('b'), 'c.yaml': user('c') }

describe('loading again', () => {
  it('parses no file that is as it was', () => {
    expect(reparsed(three, () => {})).toEqual([])
  })

  it('parses the one file that changed', () => {
    expect(reparsed(three, (dir) => writeFileSync(join(dir, 'b.yaml'), user('x')))).toEqual([user('x')])
  })

  it('parses a new file, and a file under a new name, and forgets one that is gone', () => {
    const change = (dir: string) => {
      rmSync(join(dir, 'a.yaml'))
      renameSync(join(dir, 'b.yaml'), join(dir, 'd.yaml'))
      writeFileSync(join(dir, 'e.yaml'), user('e'))
    }
    expect(reparsed(three, change)).toEqual([user('b'), user('e')])
  })

  it('takes over problems as well, of files that do not parse among them', () => {
    const files = { 'a.yaml': 'users: [', 'b.yaml': 'usres: []', 'c.yaml': 'users: [{ name: x }]' }
    expect(reparsed(files, () => {})).toEqual([])
  })

  it('parses a file again where what its references lead to is another', () => {
    const uses = (reference: string) => `users: [{ svcId: a, name: "\${${reference}}" }]\n`
    const files = {
      'env.yaml': uses('env:A'),
      'var.yaml': uses('var:a'),
      'file.yaml': uses('file:x.txt'),
      'x.txt': '1',
    }
    const settings = { env: { A: '1' }, variables: { a: '1' } }
    expect(reparsed(files, () => {}, settings)).toEqual([])
    expect(reparsed(files, () => {}, settings, { ...settings, env: { A: '2' } })).toEqual([uses('env:A')])
    expect(reparsed(files, () => {}, settings, { ...settings, env: {} })).toEqual([uses('env:A')])
    expect(reparsed(files, () => {}, settings, { ...settings, variables: { a: '2' } })).toEqual([uses('var:a')])
    expect(reparsed(files, (dir) => writeFileSync(join(dir, 'x.txt'), '2'), settings)).toEqual([uses('file:x.txt')])
    expect(reparsed(files, (dir) => rmSync(join(dir, 'x.txt')), settings)).toEqual([uses('file:x.txt')])
    // The message suggests near names, and those have changed.
    const near = { variables: { b: '1' } }
    expect(reparsed({ 'm.yaml': uses('var:a1') }, () => {}, near, { variables: { a2: '1' } })).toHaveLength(1)
  })
})

describe('loading again', () => {
  it('parses everything where places are shown from another folder', () => {
    const above = (dir: string) => join(dir, '..')
    inFolder(three, (dir) => {
      const previous = loadFolder(dir)
      parsed.length = 0
      const reloaded = loadFolder(dir, { displayBase: above(dir) }, previous)
      expect(parsed).toHaveLength(3)
      expect(seen(reloaded)).toEqual(seen(loadFolder(dir, { displayBase: above(dir) })))
    })
  })

  it('finds that a set is declared twice, in whichever of the two files it changes', () => {
    const set = (account: string) => `sets: { s: [${account}] }\n`
    const change = (file: string) => (dir: string) => writeFileSync(join(dir, file), set('z'))
    expect(reparsed({ 'a.yaml': set('a'), 'b.yaml': set('b') }, change('a.yaml'))).toEqual([set('z')])
    expect(reparsed({ 'a.yaml': set('a'), 'b.yaml': set('b') }, change('b.yaml'))).toEqual([set('z')])
    expect(reparsed({ 'a.yaml': set('a'), 'b.yaml': user('b') }, change('b.yaml'))).toEqual([set('z')])
  })

  it('counts what aliases cost in files that it takes over', () => {
    const repeated = (times: number) =>
      `groups:\n  - &g { svcId: g, members: [${'m,'.repeat(100_000)}] }\n${'  - *g\n'.repeat(times)}`
    inFolder({ 'a.yaml': repeated(1), 'b.yaml': repeated(1) }, (dir) => {
      const previous = loadFolder(dir)
      expect(previous.problems).toEqual([])
      // With so many in the first there is too little left for the second: it says so, though it is as it was.
      writeFileSync(join(dir, 'a.yaml'), repeated(9))
      const reloaded = loadFolder(dir, {}, previous)
      expect(reloaded.problems.map(({ code, place }) => [code, place?.file])).toEqual([['SVC1005', 'b.yaml']])
      // And gets over it.
      writeFileSync(join(dir, 'a.yaml'), repeated(1))
      expect(loadFolder(dir, {}, reloaded).problems).toEqual([])
    })
  })

  it('gives the same after any edits', () => {
    const text = fc.constantFrom(
      user('a'),
      user('b'),
      'sets: { s: [a] }',
      'sets: { s: [b] }',
      'users: [',
      'usres: []',
      'connections: [{ name: c, type: SQL, sql: { common: { password: "${env:A}" } } }]',
      'users: [{ svcId: x, name: "${var:v}${file:x.txt}" }]',
      'groups: [{ svcId: g, members: &m [a] }, { svcId: h, members: *m }]',
      'database: main\n---\nconstants: [{ name: C, common: 1 }]',
    )
    const folder = fc.dictionary(fc.constantFrom('a.yaml', 'b.yaml', 'c.yml', 'd/e.yaml', 'x.txt'), text, {
      noNullPrototype: true,
    })
    const settings = fc.record({
      env: fc.constantFrom({}, { A: '' }, { A: '1' }, { A: '2' }),
      withhold: fc.constantFrom(undefined, { anywhereIn: [] }),
      variables: fc.constantFrom<Readonly<Record<string, string>>[]>({}, { v: '1' }, { w: '1' }),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(folder, settings), { minLength: 2, maxLength: 4 }), (states) => {
        inFolder({}, (dir) => {
          let previous: LoadResult | undefined
          for (const [files, given] of states) {
            rmSync(dir, { recursive: true })
            mkdirSync(join(dir, 'd'), { recursive: true })
            for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
            previous = loadFolder(dir, given, previous)
            expect(seen(previous)).toEqual(seen(loadFolder(dir, given)))
          }
        })
      }),
      { numRuns: 100 },
    )
  })
})

describe('opening a project again', () => {
  it('parses the manifest that changed, and the project file where it did', () => {
    const project =
      'version: 1\nmanifests: [manifests]\n' +
      'targets: { t: { baseUrl: "https://x.example.com", clientId: a, clientSecret: "${env:S}" } }\n'
    const files = Object.fromEntries(Object.entries(three).map(([name, text]) => [`manifests/${name}`, text]))
    inFolder({ ...files, 'svcsync.yaml': project }, (dir) => {
      const options = { cwd: dir, env: {}, kinds, needCredentials: false, nowMs: 0 }
      const first = openProject(options)
      expect(first.problems).toEqual([])
      expect(parsed).toHaveLength(4)
      parsed.length = 0
      writeFileSync(join(dir, 'manifests/b.yaml'), user('a'))
      const second = openProject({ ...options, previous: first })
      expect(parsed).toEqual([user('a')])
      expect(second.problems).toEqual(openProject(options).problems)
      expect(second.problems).not.toEqual([])
      parsed.length = 0
      writeFileSync(join(dir, 'svcsync.yaml'), `${project}settings: { pageSize: 5 }\n`)
      expect(openProject({ ...options, previous: second }).project.settings.pageSize).toBe(5)
      expect(parsed).toEqual([`${project}settings: { pageSize: 5 }\n`])
    })
  })
})

it('judges the same text in all loads that share their texts, whatever becomes of the file meanwhile', () => {
  inFolder({ 'm.yaml': 'users: [{ svcId: a }]' }, (dir) => {
    const texts = new Map()
    const first = loadFolder(dir, { texts })
    writeFileSync(join(dir, 'm.yaml'), 'users: [{ svcId: b }, { svcId: ')
    expect(seen(loadFolder(dir, { texts, displayBase: dir }))).toEqual(seen(first))
    expect(loadFolder(dir).problems).toHaveLength(1)
  })
})

it('tells the length of each text before it is parsed, of a known one too', () => {
  const files = { 'a.yaml': 'users: []\n', 'b.yaml': 'groups: []\n' }
  inFolder(files, (dir) => {
    const told: string[] = []
    const onText = (length: number) => told.push(`${length} after ${parsed.length}`)
    const first = loadFolder(dir, { onText })
    loadFolder(dir, { onText }, first)
    expect(told).toEqual(['10 after 0', '11 after 1', '10 after 2', '11 after 2'])
  })
})
