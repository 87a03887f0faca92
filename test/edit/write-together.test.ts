// Files are written together or not at all, whatever keeps one of them from being written, and whenever the command is
// killed.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editNote, type FileText, finishWriting, UnwrittenFile, writeTogether } from '../../src/files/write-together.ts'

function folder(): { readonly dir: string; readonly files: readonly FileText[]; said(): string[] } {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-together-'))
  const files = ['a', 'b', 'c'].map((name) => {
    const path = join(dir, name)
    writeFileSync(path, `old ${name}`, { mode: 0o640 })
    return { path, before: Buffer.from(`old ${name}`), after: Buffer.from(`new ${name}`) }
  })
  return { dir, files, said: () => files.map(({ path }) => readFileSync(path, 'utf8')) }
}

const old = ['old a', 'old b', 'old c']
const now = ['new a', 'new b', 'new c']

describe('writing together', () => {
  it('puts all in place, and leaves nothing beside them', () => {
    const { dir, files, said } = folder()
    writeTogether(dir, files)
    expect(said()).toEqual(now)
    expect(readdirSync(dir)).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['is read-only', (path: string) => chmodSync(path, 0o440), 'EACCES'],
    ['was changed', (path: string) => writeFileSync(path, 'another'), 'CHANGED'],
    ['is gone', (path: string) => renameSync(path, `${path}-elsewhere`), 'ENOENT'],
  ])('writes none where one %s', (_, spoil, code) => {
    const { dir, files } = folder()
    spoil(files[1]?.path ?? '')
    expect(() => writeTogether(dir, files)).toThrow(new UnwrittenFile(code, files[1]?.path ?? ''))
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('old a')
    expect(readdirSync(dir).filter((name) => name.endsWith('.tmp') || name === editNote)).toEqual([])
  })

  it('goes on where a killed command had put some of them in place', () => {
    const { dir, files, said } = folder()
    const moves = files.map(({ path, after }, index) => {
      const from = `.${'abc'[index]}.0123abcd.tmp`
      writeFileSync(join(dir, from), after)
      return { from, to: path.slice(dir.length + 1) }
    })
    writeFileSync(join(dir, editNote), JSON.stringify({ formatVersion: '1.0', moves }))
    renameSync(join(dir, '.a.0123abcd.tmp'), join(dir, 'a'))
    expect(finishWriting(dir)).toBe(true)
    expect(said()).toEqual(now)
    expect(readdirSync(dir)).toEqual(['a', 'b', 'c'])
    expect(finishWriting(dir)).toBe(false)
  })

  it('says that it came half-way, and goes on', () => {
    const { dir, files, said } = folder()
    const moves = files.map(({ path, after }, index) => {
      const from = `.${'abc'[index]}.0123abcd.tmp`
      writeFileSync(join(dir, from), after)
      return { from, to: path.slice(dir.length + 1) }
    })
    writeFileSync(join(dir, editNote), JSON.stringify({ moves }))
    // Nothing can be put in the place of a folder that holds something.
    rmSync(join(dir, 'b'))
    mkdirSync(join(dir, 'b/c'), { recursive: true })
    expect(() => finishWriting(dir)).toThrow(new UnwrittenFile('HALF', join(dir, editNote)))
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('new a')
    rmSync(join(dir, 'b'), { recursive: true })
    expect(finishWriting(dir)).toBe(true)
    expect(said()).toEqual(now)
  })

  it.each([
    ['no JSON', 'x'],
    ['no moves', '{}'],
    ['a file of no edit', '{"moves":[{"from":".a.evil","to":"a"}]}'],
    ['another folder', '{"moves":[{"from":"../.a.0123abcd.tmp","to":"../a"}]}'],
    ['another file', '{"moves":[{"from":".b.0123abcd.tmp","to":"a"}]}'],
  ])('follows no note with %s', (_, text) => {
    const { dir, said } = folder()
    writeFileSync(join(dir, editNote), text)
    expect(() => finishWriting(dir)).toThrow('FOREIGN')
    expect(said()).toEqual(old)
    expect(existsSync(join(dir, editNote))).toBe(true)
  })
})
