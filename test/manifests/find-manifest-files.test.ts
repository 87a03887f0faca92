// From patterns to files.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { brief, inFolder } from './manifest-fixture.ts'

const files = {
  'm/b.yaml': '',
  'm/a.yml': '',
  'm/sub/c.YAML': '',
  'm/.hidden/d.yaml': '',
  'm/node_modules/e.yaml': '',
  'm/readme.md': '',
  'empty/readme.md': '',
  'odd[1].yaml': '',
}

function find(patterns: readonly string[], prepare: (dir: string) => void = () => {}) {
  return inFolder(files, (dir) => {
    prepare(dir)
    const found = findManifestFiles(dir, patterns, (index) => ({ file: 'p', line: index + 1, column: 1 }))
    return { files: found.files.map((file) => relative(dir, file)), problems: brief(found.problems) }
  })
}

describe('findManifestFiles', () => {
  it('takes files, folders and globs, each file once, sorted', () => {
    expect(find(['m/b.yaml', 'm', 'm/*.yaml', 'odd[1].yaml'])).toEqual({
      files: ['m/a.yml', 'm/b.yaml', 'm/sub/c.YAML', 'odd[1].yaml'],
      problems: [],
    })
    expect(find(['m/**/*.{yaml,YAML}']).files).toEqual(['m/b.yaml', 'm/node_modules/e.yaml', 'm/sub/c.YAML'])
  })

  it('names what an editor has given a second ending', () => {
    const { files, problems } = find(['m'], (dir) => writeFileSync(join(dir, 'm/groups.yaml.txt'), ''))
    expect(files).not.toContain('m/groups.yaml.txt')
    expect(problems).toEqual(['warning SVC1001 p:1:1 `m/groups.yaml.txt` is not read: its name ends in .txt'])
  })

  it('reads the stars, question marks and choices of globs, and takes no longer for many', () => {
    expect(find(['**/?.y{a,}ml']).files).toEqual(['m/a.yml', 'm/b.yaml', 'm/node_modules/e.yaml'])
    expect(find(['{m,empty}/{sub/c,a}.{yml,YAML}', '**/.hidden/*']).files).toEqual([
      'm/.hidden/d.yaml',
      'm/a.yml',
      'm/sub/c.YAML',
    ])
    const stars = `${'*a'.repeat(20)}.yaml`
    expect(find([stars], (dir) => writeFileSync(join(dir, 'a'.repeat(200)), '')).problems).toEqual([
      `SVC1001 p:1:1 No file matches \`${stars}\``,
    ])
    const choices = '{a,b}'.repeat(12)
    expect(find([choices]).problems).toEqual([`SVC1001 p:1:1 \`${choices}\` has more than 1000 choices`])
  })

  it('ends where a pattern leads through more folders than a repository has', () => {
    const many = (dir: string) => {
      for (let index = 0; index < 200; index++) mkdirSync(join(dir, `empty/${index}`))
    }
    const { problems, files } = find([`${'**/'.repeat(260)}c.yaml`, 'm'], many)
    expect(problems.join()).toContain('leads through more than 50000 folders')
    expect(files).toEqual([])
  })

  it('says what is missing or empty, and where that was written', () => {
    expect(find(['m', 'nowhere', 'no/*.yaml', 'empty'])).toEqual({
      files: ['m/a.yml', 'm/b.yaml', 'm/sub/c.YAML'],
      problems: [
        'SVC1001 p:2:1 There is no file or folder `nowhere`',
        'SVC1001 p:3:1 No file matches `no/*.yaml`',
        'warning SVC1001 p:4:1 The folder `empty` holds no manifest',
      ],
    })
  })

  it('follows links, and a circle of them once', () => {
    const found = find(['m'], (dir) => {
      symlinkSync(join(dir, 'm'), join(dir, 'm/sub/loop'))
      symlinkSync(join(dir, 'nothing'), join(dir, 'm/broken.yaml'))
    })
    expect(found.files).toEqual(['m/a.yml', 'm/b.yaml', 'm/broken.yaml', 'm/sub/c.YAML'])
  })
})
