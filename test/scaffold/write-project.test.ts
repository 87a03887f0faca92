// A new project: everything is written or nothing is, and nothing is overwritten.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { ciFiles, defaultCi } from '../../src/scaffold/ci-files.ts'
import { templates } from '../../src/scaffold/generated/templates.ts'
import { exampleFiles, writeProject } from '../../src/scaffold/write-project.ts'
import { format } from '../format/format-fixture.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-init-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const read = (file: string) => readFileSync(join(dir, file), 'utf8')

describe('the templates', () => {
  const manifests = Object.entries(templates).filter(([file]) => file.startsWith('manifests/'))

  it('have a section of every kind that brings no example of its own, in the layout of fmt', () => {
    for (const { name, sections } of kinds) {
      const own = `src/kinds/${name}/example.yaml`
      const texts = existsSync(own) ? [readFileSync(own, 'utf8')] : manifests.map(([, text]) => text)
      for (const { key } of sections.filter(({ within }) => within === undefined))
        expect(texts.some((text) => text.includes(`\n${key}:\n`))).toBe(true)
    }
    for (const [, text] of manifests) expect(format(text)).toBe(text)
  })

  it('come from examples that have the layout of fmt themselves', () => {
    const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.includes('manifests') && file.endsWith('.yaml'))
      .map((file) => readFileSync(join('examples', file), 'utf8'))
    expect(examples.length).toBeGreaterThan(100)
    for (const text of examples) expect(format(text)).toBe(text)
  })

  it('name schemas that are there for a project that has svcsync installed', () => {
    const yaml = Object.entries(templates).filter(([file]) => file === 'svcsync.yaml' || file.startsWith('manifests/'))
    expect(yaml.length).toBeGreaterThan(5)
    for (const [file, text] of yaml) {
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? ''
      expect(join(file, '..', named)).toMatch(/^node_modules\/svcsync\/schemas\/(?:manifest|project)\.schema\.json$/)
      expect(existsSync(join('schemas', basename(named)))).toBe(true)
    }
  })

  it('are the examples', () => {
    for (const [file, text] of Object.entries(ciFiles(defaultCi('prod')))) {
      const [first, ...rest] = text.split('\n')
      const example = readFileSync(file.replace('.github/workflows', 'examples/ci/github'), 'utf8').split('\n')
      expect(example[0]).toContain(first)
      expect(rest).toEqual(example.slice(1))
    }
    expect(templates['tenant.yaml']).toBe(readFileSync('examples/quickstart/tenant.yaml', 'utf8'))
  })
})

describe('writeProject', () => {
  const write = async (where = dir) => {
    const done = await writeProject(where)
    if (done === undefined) throw new TypeError('it was interrupted')
    return done
  }

  it('writes everything into a folder that it makes', async () => {
    const { written, left, envIsExposed } = await write(join(dir, 'a/b'))
    const files = exampleFiles(defaultCi('prod'))
    expect(written).toEqual([...Object.keys(files), '.gitignore'].sort())
    expect({ left, envIsExposed }).toEqual({ left: [], envIsExposed: false })
    for (const [file, text] of Object.entries(files)) expect(read(`a/b/${file}`)).toBe(text)
    expect(read('a/b/.gitignore').split('\n')).toContain('.env')
    expect(readdirSync(join(dir, 'a/b')).filter((name) => name.startsWith('.svcsync'))).toEqual([])
  })

  it('leaves what is there', async () => {
    mkdirSync(join(dir, 'manifests'))
    writeFileSync(join(dir, 'manifests/users.yaml'), 'mine')
    writeFileSync(join(dir, '.gitignore'), 'dist\n')
    symlinkSync('nowhere', join(dir, 'tenant.yaml'))
    const { written, left, envIsExposed } = await write()
    expect(left).toEqual(['.gitignore', 'manifests/users.yaml', 'tenant.yaml'])
    expect(written).toContain('svcsync.yaml')
    expect(envIsExposed).toBe(true)
    expect(read('manifests/users.yaml')).toBe('mine')
    expect(existsSync(join(dir, 'nowhere'))).toBe(false)
  })

  it.each(['svcsync.yaml', 'svcsync.yml'])('writes nothing beside %s', async (name) => {
    writeFileSync(join(dir, name), '')
    await expect(writeProject(dir)).rejects.toThrow('There is a project here already')
    expect(readdirSync(dir)).toEqual([name])
  })

  it('says what it could not write, and has written nothing', async () => {
    writeFileSync(join(dir, 'manifests'), 'a file')
    await expect(writeProject(dir)).rejects.toThrow(
      '`manifests/applications.yaml` cannot be written: a part of its path',
    )
    expect(readdirSync(dir)).toEqual(['manifests'])
    rmSync(join(dir, 'manifests'))
    expect((await write()).written).toContain('svcsync.yaml')
    await expect(writeProject(join(dir, 'svcsync.yaml'))).rejects.toThrow('cannot be written')
  })
})
