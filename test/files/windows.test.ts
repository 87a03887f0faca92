// The differences of Windows, as far as other systems can try them: paths, file names, and open files.
import { readFileSync } from 'node:fs'
import { win32 } from 'node:path'
import { expect, it } from 'vitest'
import { intoEmulator } from '../../src/cli/commands/project/init.ts'
import { fileOfTarget } from '../../src/cli/planning/result-files.ts'
import { fileName } from '../../src/export/file-places.ts'
import { liesWithin, relativePath, shownPath } from '../../src/files/paths.ts'
import { renamePatiently } from '../../src/files/rename-patiently.ts'
import { readAddress } from '../../src/git/repository.ts'
import { ledgerRefs } from '../../src/ledger/ledger-commit.ts'

it.each([
  ['C:\\project', 'C:\\project', true],
  ['C:\\project', 'C:\\project\\manifests\\users.yaml', true],
  ['C:\\project', 'c:\\PROJECT\\manifests', true],
  ['C:\\project', 'C:/project/manifests', true],
  ['C:\\project', 'C:\\project-2\\manifests', false],
  ['C:\\project', 'C:\\', false],
  ['C:\\project', 'D:\\project', false],
  ['C:\\project', 'C:\\project\\..other', true],
  ['\\\\server\\share\\project', '\\\\server\\share\\project\\manifests', true],
  ['\\\\server\\share\\project', '\\\\server\\other\\project', false],
])('%s has %s: %s', (folder, path, expected) => {
  expect(liesWithin(folder, path, win32)).toBe(expected)
})

it('shows paths with forward slashes', () => {
  expect(relativePath('C:\\a\\b', 'C:\\a\\c\\d.yaml', win32)).toBe('../c/d.yaml')
  expect(relativePath('C:\\a', 'D:\\b\\c.yaml', win32)).toBe('D:/b/c.yaml')
  expect(shownPath('C:\\a', 'C:\\a', win32)).toBe('C:/a')
})

it('gives files and refs names that Windows takes, a different one for each target', () => {
  const targets = [
    'prod',
    'nul',
    'NUL.eu',
    'com1',
    'console',
    'a/b',
    'a\\b',
    'a:b',
    'a*',
    '.hidden',
    'end.',
    '%6Eul',
    'ü?',
  ]
  const forbidden = /[<>:"/\\|?*]|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[. ]$|^\./i
  expect(targets.map(fileOfTarget).filter((file) => forbidden.test(file))).toEqual([])
  expect(new Set(targets.map(fileOfTarget)).size).toBe(targets.length)
  expect(fileOfTarget('prod')).toBe('prod.json')
  for (const name of targets) expect(fileName(name)).not.toMatch(forbidden)
  const refs = targets.map((target) => ledgerRefs(target).applied.slice('refs/svcsync/applied/'.length))
  expect(refs.filter((ref) => forbidden.test(ref))).toEqual([])
})

it('waits while another program has a file open, and then renames', () => {
  const paused: number[] = []
  let left = 3
  const rename = () => {
    if (left-- > 0) throw Object.assign(new TypeError('open'), { code: left % 2 === 0 ? 'EBUSY' : 'EPERM' })
  }
  renamePatiently('a', 'b', { platform: 'win32', rename, pause: (ms) => paused.push(ms) })
  expect(paused).toEqual([10, 20, 40])
})

it('gives up after a second, and at once where waiting does not help', () => {
  const attempts = (platform: NodeJS.Platform, code: string) => {
    let count = 0
    const rename = () => {
      count++
      throw Object.assign(new TypeError('refused'), { code })
    }
    expect(() => renamePatiently('a', 'b', { platform, rename, pause: () => undefined })).toThrow('refused')
    return count
  }
  expect(attempts('win32', 'EACCES')).toBe(8)
  expect(attempts('win32', 'ENOSPC')).toBe(1)
  expect(attempts('linux', 'EPERM')).toBe(1)
})

it('shows the first steps as PowerShell takes them, as the docs do', () => {
  const [copy, load = '', emulator] = intoEmulator('win32')
  expect(copy).toBe('cp .env.example .env')
  expect(emulator).toContain('in a second window')
  expect(readFileSync('docs/commands.md', 'utf8').replaceAll('\\|', '|')).toContain(`\`${load}\``)
  expect(intoEmulator('linux')).toContain('set -a; . ./.env; set +a')
})

it.each([
  ['C:\\repositories\\a.git', { is: 'folder', path: 'C:\\repositories\\a.git' }],
  ['file:///C:/repositories/a.git', { is: 'folder', path: 'C:/repositories/a.git' }],
  ['https://example.com/a.git', { is: 'server' }],
  ['git@example.com:a.git', { is: 'server' }],
])('takes the remote %s for what git takes it', (url, expected) => {
  expect(readAddress(url, 'win32')).toEqual(expected)
})
