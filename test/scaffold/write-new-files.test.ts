// New files: all of them or none, whatever breaks off the writing and wherever.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeNewFiles } from '../../src/scaffold/write-new-files.ts'

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

it.each(['leave', 'replace'] as const)('takes back what it has done when a later file fails: %s', async (existing) => {
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
})

it.each(['sub', 'sub/deep'])('writes nothing through a link that leads out of the folder: %s', async (name) => {
  const beside = `${dir}-beside`
  mkdirSync(beside)
  try {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    symlinkSync(beside, join(dir, name))
    const before = all()
    for (const existing of ['leave', 'replace', 'refuse'] as const) {
      await expect(write(existing)).rejects.toMatchObject({
        code: 'SVC2042',
        message: expect.stringContaining(`\`${name}\` leads out of the folder`),
        hint: expect.stringContaining('Nothing was written'),
      })
    }
    expect(all()).toEqual(before)
    expect(readdirSync(beside)).toEqual([])
  } finally {
    rmSync(beside, { recursive: true })
  }
})

it('writes through a link within the folder, and into a folder that is one', async () => {
  mkdirSync(join(dir, 'real/deep'), { recursive: true })
  symlinkSync('real', join(dir, 'sub'))
  await write('refuse')
  expect(readFileSync(join(dir, 'real/deep/b.yaml'), 'utf8')).toBe('new b\n')
  rmSync(join(dir, 'sub'))
  mkdirSync(join(dir, 'whole'))
  symlinkSync('whole', join(dir, 'linked'))
  await writeNewFiles(join(dir, 'linked'), files, { existing: 'refuse', code: 'SVC2042' })
  expect(readFileSync(join(dir, 'whole/sub/deep/b.yaml'), 'utf8')).toBe('new b\n')
})

it('takes back the folder that it has made', async () => {
  const inner = join(dir, 'x/y')
  const options = { existing: 'refuse', code: 'SVC2042' } as const
  await expect(writeNewFiles(inner, [...files, { file: 'a.yaml/b', text: '' }], options)).rejects.toThrow('a.yaml/b')
  expect(all()).toEqual({})
})

it('makes a folder that is not there in one step, with all that is in it', async () => {
  const inner = join(dir, 'x/y')
  const options = { existing: 'refuse', code: 'SVC2042' } as const
  const seen: boolean[] = []
  // Each file is written in a turn of its own.
  const writing = writeNewFiles(inner, files, options)
  const watch = setInterval(() => seen.push(existsSync(inner)), 0)
  await writing
  clearInterval(watch)
  expect(seen).not.toContain(true)
  expect(readdirSync(inner, { recursive: true }).sort()).toEqual([
    'a.yaml',
    'sub',
    'sub/c.yaml',
    'sub/deep',
    'sub/deep/b.yaml',
  ])
  expect(readdirSync(join(dir, 'x'))).toEqual(['y'])
})

it('takes all back when it is interrupted', async () => {
  const before = all()
  expect(await write('refuse', AbortSignal.abort())).toBeUndefined()
  expect(all()).toEqual(before)
})
