// Paths that lead out of the project, by dots, links or from the root, and what is no file: refused, with their place.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'
import { brief, inFolder, load } from './manifest-fixture.ts'

/** Loads `project/m.yaml` with a user whose name is the reference, in a folder that `prepare` fills. */
function messageFor(
  reference: string,
  prepare: (dir: string) => void = () => {},
  allowed: readonly string[] = [],
): string | undefined {
  const files = {
    'project/m.yaml': `users:\n  - svcId: a\n    name: "\${file:${reference}}"\n`,
    'project/in/value.txt': 'inside',
    'outside.txt': 'outside',
    'project-two/value.txt': 'outside',
  }
  return inFolder(files, (dir) => {
    prepare(dir)
    const projectDir = join(dir, 'project')
    const { problems } = loadManifests({
      files: [join(projectDir, 'm.yaml')],
      kinds,
      variables: {},
      env: {},
      projectDir,
      readFilesFrom: allowed.map((folder) => join(dir, folder)),
      displayBase: projectDir,
    })
    for (const { place } of problems) expect(place).toMatchObject({ file: 'm.yaml', line: 3, column: 12 })
    return problems[0]?.message
  })
}

describe('references to files', () => {
  it.each([
    '../outside.txt',
    'in/../../outside.txt',
    '../project-two/value.txt',
    '../nothing.txt',
    '/etc/hostname',
    '/nothing/at/all',
    '..',
  ])('lead nowhere outside: %s', (path) => expect(messageFor(path)).toBe(`The file \`${path}\` is outside the project`))

  it('follow links, as long as they stay inside', () => {
    const link = (target: string, name: string) => (dir: string) =>
      symlinkSync(join(dir, target), join(dir, 'project', name))
    expect(messageFor('link.txt', link('project/in/value.txt', 'link.txt'))).toBeUndefined()
    expect(messageFor('folder/value.txt', link('project/in', 'folder'))).toBeUndefined()
    expect(messageFor('link.txt', link('outside.txt', 'link.txt'))).toMatch('is outside')
    expect(messageFor('folder/value.txt', link('project-two', 'folder'))).toMatch('is outside')
    expect(messageFor('loop.txt', link('project/loop.txt', 'loop.txt'))).toMatch('cannot be read')
  })

  it('lead into folders that the project file allows, and no further', () => {
    const link = (target: string, name: string) => (dir: string) => symlinkSync(join(dir, target), join(dir, name))
    const allowed = ['nowhere', 'project-two']
    expect(messageFor('../project-two/value.txt', undefined, allowed)).toBeUndefined()
    expect(messageFor('../project-two/other.txt', undefined, allowed)).toMatch('cannot be read: there is no such file')
    expect(messageFor('link.txt', link('project-two/value.txt', 'project/link.txt'), allowed)).toBeUndefined()
    expect(messageFor('../outside.txt', undefined, allowed)).toMatch('is outside')
    expect(messageFor('../project-two/out.txt', link('outside.txt', 'project-two/out.txt'), allowed)).toMatch(
      'is outside',
    )
    // As mounted secrets are: the folder itself is a link, and so is every file in it.
    expect(messageFor('../mounted/value.txt', link('project-two', 'mounted'), ['mounted'])).toBeUndefined()
  })

  it('take a name that begins with dots for one that lies in the project, and is hidden', () => {
    const dotted = (dir: string) => writeFileSync(join(dir, 'project/..value'), 'x')
    expect(messageFor('..value', dotted)).toMatch(/^The file `\.\.value` is not read: its name, or/)
    expect(messageFor('..value', dotted, ['project'])).toBeUndefined()
  })

  it('take no link to what is hidden', () => {
    const hide = (dir: string) => {
      writeFileSync(join(dir, 'project/.env'), 'x')
      symlinkSync('.env', join(dir, 'project/value'))
    }
    expect(messageFor('value', hide)).toMatch(/^The file `value` is not read: its name, or/)
    expect(messageFor('value', hide, ['project/.env'])).toBeUndefined()
  })

  it('take no name with a NUL', () => {
    expect(brief(load('users: [{ svcId: a, name: "${file:in\\0value}" }]').problems)).toEqual([
      'SVC1202 1:27 The file `in\0value` cannot be read: its name holds a NUL character',
    ])
  })

  it('take files only, and no large ones', () => {
    const pipe = (dir: string) => execFileSync('mkfifo', [join(dir, 'project/pipe')])
    expect(messageFor('pipe', pipe)).toBe('The file `pipe` cannot be read: it is a pipe or a device')
    const large = (dir: string) => writeFileSync(join(dir, 'project/large'), 'x'.repeat(1024 * 1024 + 1))
    expect(messageFor('large', large)).toBe('The file `large` cannot be read: it has 2 MB, and may have 1')
  })
})

describe('links among manifests', () => {
  const files = { 'project/m/a.yaml': '', 'project/other/b.yaml': '', 'outside/c.yaml': '', 'outside/deep/d.yaml': '' }
  const find = (patterns: readonly string[], links: Readonly<Record<string, string>>) =>
    inFolder(files, (dir) => {
      for (const [name, target] of Object.entries(links)) symlinkSync(join(dir, target), join(dir, name))
      const base = join(dir, 'project')
      const found = findManifestFiles(base, patterns, (index) => ({ file: 'p', line: index + 1, column: 1 }))
      return { files: found.files.map((file) => relative(base, file)), problems: brief(found.problems) }
    })
  const refusal = (link: string) => `SVC1001 p:1:1 \`${link}\` is a link that leads out of the project`

  it('inside the project only', () => {
    const links = { 'project/m/folder': 'project/other', 'project/m/e.yaml': 'project/other/b.yaml' }
    expect(find(['m'], links)).toEqual({ files: ['m/a.yaml', 'm/e.yaml', 'm/folder/b.yaml'], problems: [] })
  })

  it.each([
    ['a folder in a folder', ['m'], { 'project/m/link': 'outside' }, 'm/link', ['m/a.yaml']],
    ['a file in a folder', ['m'], { 'project/m/l.yaml': 'outside/c.yaml' }, 'm/l.yaml', ['m/a.yaml']],
    ['the folder itself', ['link'], { 'project/link': 'outside' }, 'link', []],
    ['the file itself', ['l.yaml'], { 'project/l.yaml': 'outside/c.yaml' }, 'l.yaml', []],
    ['a folder above what is named', ['link/deep'], { 'project/link': 'outside' }, 'link/deep', []],
    ['a file that a glob finds', ['m/*.yaml'], { 'project/m/l.yaml': 'outside/c.yaml' }, 'm/l.yaml', ['m/a.yaml']],
    ['a folder that a glob goes through', ['*/deep/*.yaml'], { 'project/link': 'outside' }, 'link', []],
  ])('are refused where they lead out of it: %s', (_, patterns, links, link, rest) => {
    expect(find(patterns, links)).toEqual({ files: rest, problems: [refusal(link)] })
  })

  it('are no matter where the project file itself names what is outside', () => {
    expect(find(['../outside'], {})).toEqual({ files: ['../outside/c.yaml', '../outside/deep/d.yaml'], problems: [] })
    expect(find(['../outside/*.yaml'], {})).toEqual({ files: ['../outside/c.yaml'], problems: [] })
  })

  it('in a circle give each file once, by its own name', () => {
    const links = { 'project/m/again': 'project/m', 'project/m/0': 'project' }
    expect(find(['m'], links).files).toEqual(['m/0/other/b.yaml', 'm/a.yaml'])
    expect(find(['m/**/*.yaml'], links).files.filter((file) => file.endsWith('a.yaml'))).toEqual(['m/a.yaml'])
  })
})

it('a pipe is no manifest', () => {
  const found = inFolder({}, (dir) => {
    mkdirSync(join(dir, 'm'))
    execFileSync('mkfifo', [join(dir, 'm/p.yaml')])
    const options = { kinds, variables: {}, env: {}, projectDir: dir, displayBase: dir }
    return loadManifests({ files: findManifestFiles(dir, ['m']).files, ...options })
  })
  expect(brief(found.problems)).toEqual(['SVC1001 m/p.yaml:1:1 `m/p.yaml` cannot be read: it is a pipe or a device'])
})

it('a name that is no UTF-8 is told from a link that leads nowhere', ({ skip }) => {
  const [problem] = inFolder({}, (dir) => {
    mkdirSync(join(dir, 'm'))
    try {
      writeFileSync(
        Buffer.concat([Buffer.from(`${dir}/m/a`), Buffer.from([0xff]), Buffer.from('.yaml')]),
        'users: []\n',
      )
    } catch {
      skip('Not every system takes such a name.')
    }
    const options = { kinds, variables: {}, env: {}, projectDir: dir, displayBase: dir }
    return loadManifests({ files: findManifestFiles(dir, ['m']).files, ...options })
  }).problems
  expect(problem).toMatchObject({ code: 'SVC1001', hint: 'Its name is no UTF-8: rename the file.' })
})
