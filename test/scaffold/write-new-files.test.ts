// New files: all of them or none, whatever breaks off the writing and wherever.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeBackEarlier, writeNewFiles } from '../../src/scaffold/index.ts'
import { digestOf, makeStaging, recordMoves, stagedPath } from '../../src/scaffold/staging.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-new-files-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const files = [
  { file: 'a.yaml', text: 'new a\n' },
  { file: 'sub/deep/b.yaml', text: 'new b\n' },
  { file: 'sub/c.yaml', text: 'new c\n' },
]
const put = (file: string, text: string) => {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}
/** Everything in the folder: of a file its text, of anything else that it is there. */
const all = () =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [name, lstatSync(join(dir, name)).isFile() ? readFileSync(join(dir, name), 'utf8') : '/']),
  )
const written = {
  'a.yaml': 'new a\n',
  sub: '/',
  'sub/c.yaml': 'new c\n',
  'sub/deep': '/',
  'sub/deep/b.yaml': 'new b\n',
}
const write = (existing: 'refuse' | 'leave' | 'replace', signal?: AbortSignal) =>
  writeNewFiles(dir, files, { existing, code: 'SVC2042', signal })

describe('writeNewFiles', () => {
  it('writes all, and nothing else stays', async () => {
    expect(await write('refuse')).toEqual({ written: ['a.yaml', 'sub/deep/b.yaml', 'sub/c.yaml'], left: [] })
    expect(all()).toEqual(written)
    expect(statSync(join(dir, 'a.yaml')).nlink).toBe(1)
  })

  it('writes nothing where one is there, a link that leads nowhere among it', async () => {
    mkdirSync(join(dir, 'sub'))
    symlinkSync('nowhere', join(dir, 'sub/c.yaml'))
    const before = all()
    await expect(write('refuse')).rejects.toMatchObject({ code: 'SVC2040', message: expect.stringContaining('sub/c') })
    expect(all()).toEqual(before)
  })

  it('leaves what is there, or replaces it with its mode', async () => {
    put('a.yaml', 'mine')
    expect(await write('leave')).toMatchObject({ left: ['a.yaml'] })
    expect(all()).toEqual({ ...written, 'a.yaml': 'mine' })
    rmSync(join(dir, 'sub'), { recursive: true })
    writeFileSync(join(dir, 'a.yaml'), 'mine', { mode: 0o600 })
    const { mode } = statSync(join(dir, 'a.yaml'))
    expect(await write('replace')).toMatchObject({ left: [] })
    expect(all()).toEqual(written)
    expect(statSync(join(dir, 'a.yaml')).mode).toBe(mode)
  })

  it.each(['leave', 'replace'] as const)(
    'takes back what it has done when a later file fails: %s',
    async (existing) => {
      put('a.yaml', 'mine')
      // A folder where the last file is to be, or a file where its folder is.
      if (existing === 'replace') mkdirSync(join(dir, 'sub/c.yaml'), { recursive: true })
      else put('sub/deep', 'a file')
      const before = all()
      await expect(write(existing)).rejects.toMatchObject({
        code: 'SVC2042',
        hint: expect.stringContaining('Nothing was'),
      })
      expect(all()).toEqual(before)
    },
  )

  it('takes back the folder that it has made', async () => {
    const inner = join(dir, 'x/y')
    const options = { existing: 'refuse', code: 'SVC2042' } as const
    await expect(writeNewFiles(inner, [...files, { file: 'a.yaml/b', text: '' }], options)).rejects.toThrow('a.yaml/b')
    expect(all()).toEqual({})
  })

  it('takes all back when it is interrupted', async () => {
    const before = all()
    expect(await write('refuse', AbortSignal.abort())).toBeUndefined()
    expect(all()).toEqual(before)
  })
})

describe('after a kill', () => {
  /** Leaves what a run leaves that was killed when it had put so many files into their places. */
  const killedAfter = (moved: number, { replaced = false } = {}) => {
    const staging = makeStaging(dir)
    if (replaced) put('a.yaml', 'old a\n')
    const folders = ['sub', 'sub/deep']
    const staged = files.map(({ file, text }) => ({ file, digest: digestOf(text) }))
    for (const [index, { text }] of files.entries()) writeFileSync(stagedPath(staging, 'new', index), text)
    if (moved < 0) return
    recordMoves(staging, { folders, files: staged })
    for (const [index, { file, text }] of files.slice(0, moved).entries()) {
      if (existsSync(join(dir, file))) renameSync(join(dir, file), stagedPath(staging, 'old', index))
      put(file, text)
    }
  }

  it.each([-1, 0, 1, 2])('the next run takes back what was in place: %i', (moved) => {
    killedAfter(moved)
    expect(takeBackEarlier(dir)).toEqual(files.slice(0, Math.max(0, moved)).map(({ file }) => file))
    expect(all()).toEqual({})
  })

  it('puts back what was replaced', () => {
    killedAfter(2, { replaced: true })
    takeBackEarlier(dir)
    expect(all()).toEqual({ 'a.yaml': 'old a\n' })
  })

  it('leaves what was done to its end', () => {
    killedAfter(3)
    expect(takeBackEarlier(dir)).toEqual([])
    expect(all()).toEqual(written)
  })

  it('leaves what somebody has touched since', () => {
    killedAfter(2)
    put('sub/deep/b.yaml', 'mine now\n')
    expect(takeBackEarlier(dir)).toEqual(['a.yaml'])
    expect(all()).toEqual({ sub: '/', 'sub/deep': '/', 'sub/deep/b.yaml': 'mine now\n' })
  })

  it('does not disturb a run that goes on, nor believe what somebody else has left', () => {
    killedAfter(1)
    const [name] = readdirSync(dir).filter((each) => each.startsWith('.svcsync')) as [string]
    const running = join(dir, name.replace(String(process.pid), String(process.ppid)))
    renameSync(join(dir, name), running)
    expect(() => takeBackEarlier(dir)).toThrow('Another svcsync is writing')
    expect(existsSync(join(dir, 'a.yaml'))).toBe(true)
    // A process of that number is another one by now.
    utimesSync(running, new Date(0), new Date(0))
    expect(takeBackEarlier(dir)).toEqual(['a.yaml'])
    const foreign = join(dir, '.svcsync-new-1-ab')
    mkdirSync(foreign, { mode: 0o755 })
    put('a.yaml', 'new a\n')
    recordMoves(foreign, { folders: [], files: [{ file: 'a.yaml', digest: digestOf('new a\n') }] })
    expect(takeBackEarlier(dir)).toEqual([])
    expect(existsSync(join(dir, 'a.yaml'))).toBe(true)
  })
})
