// Pages for engineers name files that exist, and the page of guards has all of them.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { guards } from '../../src/core/guards/guards.ts'

const root = resolve(import.meta.dirname, '../..')
const page = (path: string): string => readFileSync(join(root, path), 'utf8')

it('each row of CONTRIBUTING names files of its folder', () => {
  const text = page('CONTRIBUTING.md')
  const rows = text.slice(text.indexOf('| decision |'), text.indexOf('## Style')).split('\n')
  const missing = rows.flatMap((row) => {
    let folder = 'src'
    const paths = [...(row.split('|')[2] ?? '').matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path)
    return paths.filter((path) => {
      const whole = /^(?:src|test|docs)(?:\/|$)/.test(path) ? path : join(path.includes('/') ? 'src' : folder, path)
      if (whole.endsWith('.ts')) folder = dirname(whole)
      // A name that somebody chooses may be any.
      return !existsSync(join(root, whole.replace(/\/[^/]*(?:NAME|ROOM).*$/, '')))
    })
  })
  expect(missing).toEqual([])
})

it('the page of guards has a row for each', () => {
  const rows = page('docs/guards.md').split('\n')
  const shown = rows.flatMap((row) => (row.startsWith('| `') ? (row.split('|')[1]?.match(/[a-z-]+/g) ?? []) : []))
  // The lease is asked for by the command.
  expect(shown.filter((name) => name !== 'lease').sort()).toEqual(guards.map(({ name }) => name).sort())
})
