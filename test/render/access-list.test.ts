// Places of declarations in the list of access: few are named, many are counted, and a table names each.
import { expect, it } from 'vitest'
import { formatPlace } from '../../src/errors/index.ts'
import { printText } from '../../src/render/printers/text.ts'
import { accessListBlocks, renderAccessCsv } from '../../src/render/report/access-list.ts'
import { safeJson, safeJsonParts } from '../../src/render/text/neutralise.ts'

const group = { file: 'groups.yaml', line: 4, column: 5 }
const row = (process: number) => ({
  ...{ subject: 'anna@example.com', level: 'Start', address: `process/main/A/P${process}`, company: null },
  ...{ via: ['clerks@example.com'], kind: 'privilege' as const, live: true, afterApply: true, declared: true },
  declaredWay: { via: ['clerks@example.com'] },
  ...{ places: [group, { file: 'processes.yaml', line: process, column: 9 }], atBase: null },
  ...{ accepted: null, since: null, licensed: null },
})
const answerOf = (count: number) => ({
  ...{ rows: Array.from({ length: count }, (_, each) => row(each + 1)), holders: [], perhapsGroups: [] },
  ...{ otherWays: [], upcoming: [], unread: [], base: null, looked: ['group', 'substitution'] },
  ...{ objects: [], above: [], licencesOf: () => [], licencesUnread: null, readAt: '2026-11-01T08:00:00Z' },
  outside: { roles: ['auditors'], reviewed: null, unlisted: [], unknown: [] },
  target: { name: 'test', baseUrl: '', apiVersion: '6.0' as const, databases: {} },
})
const declaredIn = (count: number): string =>
  printText(accessListBlocks(answerOf(count), { nobody: '' }), { colour: false, width: 500, verbose: true })
    .split('\n')
    .filter((line) => line.includes('declared at'))
    .join('\n')

it('names six, and counts each place of more once, all of which the table has', () => {
  const said = ({ places }: ReturnType<typeof row>): string => places.map(formatPlace).join(' > ')
  const six = answerOf(6).rows.map((each) => `  declared at ${said(each)}`)
  expect(declaredIn(6)).toBe(six.join('\n'))
  // Seven processes, and the one line of the group.
  expect(declaredIn(7)).toBe('  declared at 8 places: `--format csv` names them')
  const { rows } = answerOf(7)
  const table = [...renderAccessCsv(answerOf(7))].join('').split('\r\n')
  // The last one says what the interface does not tell.
  expect(table.at(-2)).toContain('outside the API,unknown')
  expect(table.slice(1, -2).map((line) => line.split(',')[10])).toEqual(rows.map(said))
})

it('counts the lines of a long chain of groups, which would fill the screen', () => {
  const [one] = answerOf(1).rows
  const places = Array.from({ length: 10_000 }, (_, each) => ({ ...group, line: each + 1 }))
  const answer = { ...answerOf(1), rows: [{ ...one, places }] as ReturnType<typeof row>[] }
  const text = printText(accessListBlocks(answer, { nobody: '' }), { colour: false, width: 100, verbose: true })
  expect(text).toContain('  declared at 10,000 places: `--format csv` names them')
  // A table has both ends of a chain of thousands: a spreadsheet cuts what is longer, and does not say so.
  const way = { via: Array.from({ length: 100 }, (_, each) => `g${each}`), skipped: 9900 }
  const long = {
    ...answer,
    rows: [{ ...one, ...way, declaredWay: way, places: places.slice(0, 100) }] as typeof answer.rows,
  }
  const table = [...renderAccessCsv(long)].join('')
  expect(table).toContain('g49 > 9,900 more > g50')
  expect(table).toContain('groups.yaml:50:5 > 9,900 more > groups.yaml:51:5')
  expect(printText(accessListBlocks(long, { nobody: '' }), { colour: false, width: 100, verbose: true })).toContain(
    'declared at more than 100 places\n',
  )
})

it.each([0, 1, 256, 600])('%d rows in parts are the same document as in one', (count) => {
  const { rows, ...others } = answerOf(count)
  const parts = [
    ...safeJsonParts({ formatVersion: '1.0' }, ['rows', rows], () => ({ ...others, note: '"rows": [] ##[x]' })),
  ]
  expect(parts.join('')).toBe(safeJson({ formatVersion: '1.0', rows, ...others, note: '"rows": [] ##[x]' }))
  expect(parts).toHaveLength(2 + Math.ceil(count / 256))
})

it('calls what a substitution gives from a later day begun later, and not unapplied', () => {
  const { rows, ...rest } = answerOf(1)
  const substitution = { address: 'substitution/a', person: 'a@example.com', until: '2100-02-01T00:00:00Z' }
  const titlesFrom = (from: string): string => {
    const row = { ...rows[0], live: false, substitutions: [{ ...substitution, from }] } as (typeof rows)[number]
    return printText(accessListBlocks({ ...rest, rows: [row] }, { nobody: '' }), { colour: false, width: 100 })
  }
  expect(titlesFrom('2100-01-01T00:00:00Z')).toContain('\nDeclared, and begins later\n')
  expect(titlesFrom('2026-10-01T00:00:00Z')).toContain('\nDeclared, and not applied yet\n')
})
