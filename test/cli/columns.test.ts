// How wide the output is, and what a terminal can do.
import process from 'node:process'
import { expect, it } from 'vitest'
import { columnsOf, openConsole, wrapNote } from '../../src/cli/terminal/console.ts'

it('takes a terminal of 0 columns for one that does not tell', () => {
  expect(columnsOf({ isTTY: true, columns: 0 })).toBe(100)
  expect(columnsOf({ isTTY: true })).toBe(100)
  expect(columnsOf({ isTTY: true, columns: 72 })).toBe(72)
  expect(columnsOf({ isTTY: true, columns: 12 })).toBe(40)
  expect(columnsOf({ columns: 72 })).toBe(100)
})

it.each([
  ['xterm-256color', true],
  ['dumb', false],
])('colours and redraws a line on a terminal that is %s: %s', (TERM, expected) => {
  const names = ['CI', 'NO_COLOR', 'FORCE_COLOR', 'TERM'] as const
  const before = names.map((name) => process.env[name])
  const terminals = [process.stdout, process.stderr]
  const were = terminals.map(({ isTTY }) => isTTY)
  try {
    for (const name of names) delete process.env[name]
    process.env.TERM = TERM
    for (const each of terminals) each.isTTY = true
    const { colour, live, errorForm } = openConsole({})
    expect([colour, live, errorForm.colour]).toEqual([expected, expected, expected])
  } finally {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name]
      else process.env[name] = before[index]
    }
    for (const [index, each] of terminals.entries()) each.isTTY = were[index] as boolean
  }
})

it('wraps notes at the width of a terminal, and breaks no command', () => {
  const { stderr } = process
  const [isTTY, columns, write] = [stderr.isTTY, stderr.columns, stderr.write]
  const written: string[] = []
  try {
    Object.assign(stderr, { isTTY: true, columns: 40, write: (text: string) => written.push(text) > 0 })
    const command = '(`git push origin 0123456789ab:refs/svcsync/applied/test`)'
    openConsole({}).note(`The ledger of this target is gone from the remote, and one command ${command} brings it.`)
    expect(written.join('')).toBe(
      `The ledger of this target is gone from\nthe remote, and one command\n${command}\nbrings it.\n`,
    )
  } finally {
    Object.assign(stderr, { isTTY, columns, write })
  }
})

it('wraps a note in a result at the width of stdout, and leaves it whole in a pipe', () => {
  const { isTTY, columns } = process.stdout
  const note = 'When every target has applied that, remove the entries of `maria.wolska@example.com`.'
  try {
    Object.assign(process.stdout, { isTTY: true, columns: 50 })
    expect(wrapNote(note)).toBe(
      'When every target has applied that, remove the\nentries of `maria.wolska@example.com`.',
    )
    Object.assign(process.stdout, { isTTY: false })
    expect(wrapNote(note)).toBe(note)
  } finally {
    Object.assign(process.stdout, { isTTY, columns })
  }
})
