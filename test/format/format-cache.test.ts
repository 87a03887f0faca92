// With a cache `fmt` gives what it gives without one, whatever is in the cache, and lays out only what it must.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { parseEvents } from 'js-yaml'
import { beforeEach, expect, it, vi } from 'vitest'
import { FormatCache } from '../../src/format/format-cache.ts'
import { type FormattedFile, formatFiles } from '../../src/format/format-files.ts'
import { kinds } from '../../src/kinds/index.ts'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { type Files, inFolder } from '../manifests/manifest-fixture.ts'

const parsed = vi.hoisted((): Set<string> => new Set())
const meanwhile = vi.hoisted((): { act?: (text: string) => void } => ({}))
vi.mock('js-yaml', async (original) => {
  const real = await original<{ parseEvents: typeof parseEvents }>()
  const noted: typeof parseEvents = (text, options) => {
    parsed.add(text)
    meanwhile.act?.(text)
    return real.parseEvents(text, options)
  }
  return { ...real, parseEvents: noted }
})
beforeEach(() => {
  parsed.clear()
  delete meanwhile.act
})

const tidy = (name: string) => `users:\n  - svcId: ${name}\n`
const untidy = (name: string) => `users:\n- svcId: ${name}\n`
const three: Files = { 'm/a.yaml': tidy('a'), 'm/b.yaml': tidy('b'), 'm/c.yaml': tidy('c') }
const cacheFile = (dir: string) => join(dir, '.svcsync/cache/fmt.json')

/** Formats, and tells which texts were parsed for it. */
function format(dir: string, { cache = true, write = true, version = '1', paths = ['m'] } = {}) {
  const known = cache ? new FormatCache(dir, version, kinds) : undefined
  const { files } = findManifestFiles(dir, paths)
  parsed.clear()
  const results = [...formatFiles({ files, kinds, projectDir: dir, displayBase: dir, write, diff: true, known })]
  known?.save()
  return { results, parsed: [...parsed].sort(), texts: files.map((file) => readFileSync(file, 'utf8')) }
}

const seen = (results: readonly FormattedFile[]) => results.map(({ sources: _, ...result }) => result)

it('lays out only what changed', () => {
  inFolder(three, (dir) => {
    expect(format(dir).parsed).toHaveLength(3)
    expect(format(dir).parsed).toEqual([])
    writeFileSync(join(dir, 'm/b.yaml'), tidy('x'))
    expect(format(dir).parsed).toEqual([tidy('x')])
    writeFileSync(join(dir, 'm/b.yaml'), untidy('y'))
    const third = format(dir)
    expect(third.results.map(({ outcome }) => outcome)).toEqual(['unchanged', 'changed', 'unchanged'])
    expect(third.parsed).toEqual([tidy('y'), untidy('y')])
    // The law of layouts makes its own output canonical.
    expect(format(dir).parsed).toEqual([])
  })
})

it('goes by content, not by name, and keeps what it knew beside the paths of this run', () => {
  inFolder(three, (dir) => {
    format(dir)
    writeFileSync(join(dir, 'm/renamed.yaml'), tidy('a'))
    rmSync(join(dir, 'm/a.yaml'))
    expect(format(dir).parsed).toEqual([])
    writeFileSync(join(dir, 'm/renamed.yaml'), tidy('z'))
    expect(format(dir, { paths: ['m/renamed.yaml'] }).parsed).toEqual([tidy('z')])
    expect(format(dir).parsed).toEqual([])
  })
})

it('forgets everything with another version', () => {
  inFolder(three, (dir) => {
    format(dir)
    expect(format(dir, { version: '2' }).parsed).toHaveLength(3)
    expect(format(dir, { version: '2' }).parsed).toEqual([])
  })
})

it('depends on the kinds', () => {
  inFolder(three, (dir) => {
    format(dir)
    const [digest = ''] = JSON.parse(readFileSync(cacheFile(dir), 'utf8')).canonical as string[]
    expect(new FormatCache(dir, '1', kinds).has(digest)).toBe(true)
    expect(new FormatCache(dir, '1', kinds.slice(1)).has(digest)).toBe(false)
  })
})

it('keeps digests and nothing else, for this account alone, out of version control', () => {
  inFolder(three, (dir) => {
    format(dir)
    expect(Object.keys(JSON.parse(readFileSync(cacheFile(dir), 'utf8')))).toEqual(['formatVersion', 'key', 'canonical'])
    expect(readFileSync(cacheFile(dir), 'utf8')).toMatch(
      /^\{"formatVersion":1,"key":"[\w-]{43}","canonical":\["[\w",-]+"\]\}$/,
    )
    expect(statSync(cacheFile(dir)).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(cacheFile(dir))).sort()).toEqual(['.gitignore', 'fmt.json'])
    expect(readFileSync(join(dirname(cacheFile(dir)), '.gitignore'), 'utf8')).toBe('*\n')
  })
})

it('stays whole when several runs write it: the last one wins', () => {
  inFolder({}, (dir) => {
    const caches = ['A', 'B', 'C'].map((letter) => ({
      digest: letter.repeat(43),
      cache: new FormatCache(dir, '1', kinds),
    }))
    for (const { cache, digest } of caches) cache.add(digest)
    for (const { cache } of caches) cache.save()
    const after = new FormatCache(dir, '1', kinds)
    expect(caches.map(({ digest }) => after.has(digest))).toEqual([false, false, true])
  })
})

it('does not write where nothing is new', () => {
  inFolder(three, (dir) => {
    format(dir)
    const { ino } = statSync(cacheFile(dir))
    format(dir)
    expect(statSync(cacheFile(dir)).ino).toBe(ino)
  })
})

it('takes a file that others may read for foreign: it may have come with a checkout', () => {
  inFolder(three, (dir) => {
    format(dir)
    chmodSync(cacheFile(dir), 0o644)
    expect(format(dir).parsed).toHaveLength(3)
  })
})

it('follows no link, neither to read nor to write', () => {
  inFolder({ ...three, 'elsewhere/x': '' }, (dir) => {
    format(dir)
    const real = join(dir, 'elsewhere/fmt.json')
    writeFileSync(real, readFileSync(cacheFile(dir)), { mode: 0o600 })
    rmSync(cacheFile(dir))
    symlinkSync(real, cacheFile(dir))
    const before = readFileSync(real, 'utf8')
    expect(format(dir).parsed).toHaveLength(3)
    expect(readFileSync(real, 'utf8')).toBe(before)
    rmSync(join(dir, '.svcsync'), { recursive: true })
    symlinkSync(join(dir, 'elsewhere'), join(dir, '.svcsync'))
    expect(() => format(dir)).toThrow(expect.objectContaining({ code: 'ELOOP' }))
    expect(readdirSync(join(dir, 'elsewhere')).sort()).toEqual(['fmt.json', 'x'])
  })
})

it('says of what cannot be read what it says without', () => {
  inFolder(
    { ...three, 'm/dir.yaml/x': '', 'm/bad.yaml': 'users: [', 'm/latin.yaml': new Uint8Array([0xff]) },
    (dir) => {
      symlinkSync('/etc/hostname', join(dir, 'm/out.yaml'))
      format(dir)
      const paths = ['m', 'm/dir.yaml']
      expect(seen(format(dir, { paths }).results)).toEqual(seen(format(dir, { paths, cache: false }).results))
    },
  )
})

interface Step {
  readonly folder: Readonly<Record<string, string>>
  readonly damage: string | number | undefined
  readonly write: boolean
}

/** Holds a run with the cache to one without, and damages what it has kept. */
function expectAlike(dir: string, { folder, damage, write }: Step): void {
  rmSync(join(dir, 'm'), { recursive: true, force: true })
  mkdirSync(join(dir, 'm/d'), { recursive: true })
  for (const [name, content] of Object.entries(folder)) writeFileSync(join(dir, 'm', name), content)
  const expected = format(dir, { cache: false, write: false })
  const found = format(dir, { write })
  expect(seen(found.results)).toEqual(seen(expected.results))
  if (!write) expect(found.texts).toEqual(expected.texts)
  if (damage === undefined || statSync(cacheFile(dir), { throwIfNoEntry: false }) === undefined) return
  const content = readFileSync(cacheFile(dir), 'utf8')
  writeFileSync(cacheFile(dir), typeof damage === 'string' ? damage : content.slice(0, damage))
}

it('gives the same results as without, after any edits and any damage to the cache', () => {
  const text = fc.constantFrom(
    tidy('a'),
    untidy('a'),
    tidy('b'),
    untidy('b'),
    'users: [',
    'a: *b',
    '\ufeffusers: []\n',
    '',
    'users: []\r\n',
  )
  const folder = fc.dictionary(fc.constantFrom('a.yaml', 'b.yaml', 'c.yml', 'd/e.yaml'), text, {
    noNullPrototype: true,
  })
  const damage = fc.oneof(
    fc.constantFrom('', '{', 'null', '[]', '{"formatVersion":1}', '{"formatVersion":2,"canonical":[]}'),
    fc.nat(400),
    fc.constant(undefined),
  )
  const step = fc.record({ folder, damage, write: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 5 }), (steps) => {
      inFolder({}, (dir) => {
        for (const step of steps) expectAlike(dir, step)
      })
    }),
    { numRuns: 60 },
  )
})

it.each([
  ['before it is read again', untidy('a')],
  ['before it is written', tidy('a')],
])('leaves a file that changes %s', (_, when) => {
  inFolder({ 'm/a.yaml': untidy('a') }, (dir) => {
    meanwhile.act = (text) => {
      if (text === when) writeFileSync(join(dir, 'm/a.yaml'), untidy('edited'))
    }
    const { results, texts } = format(dir)
    expect(results.map(({ outcome, problems }) => [outcome, problems[0]?.message])).toEqual([
      ['left', '`m/a.yaml` has changed meanwhile'],
    ])
    expect(texts).toEqual([untidy('edited')])
  })
})
