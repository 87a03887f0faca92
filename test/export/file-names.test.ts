// Names on the platform become names of files that every file system takes.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FileNames, fileName } from '../../src/export/file-places.ts'

it.each([
  ['Purchasing', 'purchasing'],
  ['Invoice approval (2024)', 'invoice-approval-2024'],
  ['Zakupy i płatności', 'zakupy-i-płatności'],
  ['../../etc/passwd', 'etc-passwd'],
  ['a/b\\c:d', 'a-b-c-d'],
  ['.hidden', 'hidden'],
  ['ends with a dot.', 'ends-with-a-dot'],
  ['CON', '_con'],
  ['aux.txt', '_aux.txt'],
  ['node_modules', '_node_modules'],
  ['..', undefined],
  ['/', undefined],
  ['\u0000\n', undefined],
  ['v1..2', 'v1.2'],
])('%j becomes %j', (name, file) => {
  expect(fileName(name)).toBe(file)
})

it('no two names meet in one file, and the same one keeps its file', () => {
  const names = new FileNames()
  expect(['A b', 'a B', 'a-b', '?'].map((name) => names.of(name, name, 'unnamed'))).toEqual([
    'a-b',
    'a-b-2',
    'a-b-3',
    'unnamed',
  ])
  expect(names.of('a B', 'a B', 'unnamed')).toBe('a-b-2')
})

it('whatever the name, the file stays in its folder and is like no other', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom('..', '.', 'CON', 'con', 'Nul.x', 'ß', 'SS', 'İ'),
  )
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 12 }), (all) => {
      const names = new FileNames()
      const files = all.map((name) => names.of(name, name, 'unnamed'))
      for (const file of files) {
        expect(file).toMatch(/^[\p{L}\p{N}\p{M}_][\p{L}\p{N}\p{M}_.-]*$/u)
        expect(file).not.toMatch(/\.\.|[.-]$|^(?:con|prn|aux|nul|com\d|lpt\d|node_modules)(?:\.|$)/i)
        expect(Buffer.byteLength(file)).toBeLessThan(250)
      }
      expect(new Set(files.map((file) => file.toUpperCase())).size).toBe(files.length)
    }),
    { numRuns: 300 },
  )
})
