// Frames around a problem, as they are printed.
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../src/errors/index.ts'
import { codeFrame } from '../../src/manifests/code-frame.ts'
import { TextSource } from '../../src/manifests/text-source.ts'
import { load } from './manifest-fixture.ts'

function frame(text: string, line: number, column: number, columns?: number): string | undefined {
  const problem: Problem = { code: 'SVC1101', severity: 'error', message: 'x', place: { file: 'f', line, column } }
  return codeFrame(problem, new Map([['f', new TextSource('f', text)]]), columns)
}

describe('codeFrame', () => {
  it('shows two lines before, the caret, and one line after', () => {
    const text = Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join('\n')
    expect(frame(text, 9, 3)).toBe('   7 | line 7\n   8 | line 8\n>  9 | line 9\n     |   ^\n  10 | line 10')
    expect(frame(text, 1, 1)).toBe('> 1 | line 1\n    | ^\n  2 | line 2')
    expect(frame(text, 12, 8)).toBe('  10 | line 10\n  11 | line 11\n> 12 | line 12\n     |        ^')
  })

  it('counts tabs, wide characters and marks that take no room', () => {
    expect(frame('\tx', 1, 2)).toBe('> 1 |   x\n    |   ^')
    expect(frame('漢字x', 1, 3)).toBe('> 1 | 漢字x\n    |     ^')
    expect(frame('🙂x', 1, 3)).toBe('> 1 | 🙂x\n    |   ^')
    expect(frame('e\u0301x', 1, 3)).toBe('> 1 | e\u0301x\n    |  ^')
  })

  it('shows what steers a terminal as a picture', () => {
    expect(frame('a\u001b[31mb\u202ec\u007f', 1, 1)).toBe('> 1 | a␛[31mb\ufffdc␡\n    | ^')
  })

  it('cuts long lines around the caret', () => {
    const lines = (frame(`${'a'.repeat(500)}X${'b'.repeat(500)}`, 1, 501) ?? '').split('\n')
    expect(lines[0]?.length).toBeLessThan(125)
    expect(lines[0]?.[lines[1]?.indexOf('^') ?? 0]).toBe('X')
  })

  it('takes no more columns than there are, wherever the caret is', () => {
    const text = `${'a'.repeat(60)}X${'b'.repeat(60)}`
    for (const columns of [30, 36, 40, 80]) {
      for (const column of [1, 20, 61, 100, 121]) {
        const lines = (frame(text, 1, column, columns) ?? '').split('\n')
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
        if (column === 61) expect(lines[0]?.[lines[1]?.indexOf('^') ?? 0]).toBe('X')
      }
    }
  })

  it('keeps to lines without their breaks, whatever these are', () => {
    expect(frame('a\r\nb\r\nc', 2, 1)).toBe('  1 | a\n> 2 | b\n    | ^\n  3 | c')
    expect(frame('a\rb', 2, 1)).toBe('  1 | a\n> 2 | b\n    | ^')
    expect(frame('a\n', 1, 1)).toBe('> 1 | a\n    | ^')
  })

  it('leaves out lines of a size that nobody reads: each of thousands of problems would go through all of it', () => {
    const long = 'x'.repeat(60_000)
    expect(frame(long, 1, 30_000)).toBeUndefined()
    expect(frame(`${long}\na`, 2, 1)).toBe('  1 | …\n> 2 | a\n    | ^')
  })

  it('is missing where there is nothing to show', () => {
    expect(frame('a', 7, 1)).toBeUndefined()
    expect(codeFrame({ code: 'SVC1001', severity: 'error', message: 'x' }, new Map())).toBeUndefined()
  })

  it('points at what the problem is about', () => {
    const { problems, sources } = load('users:\n  - svcId: ann\n    nmae: Ann\n    email: a@example.com\n')
    expect(codeFrame(problems[0] as Problem, sources)).toBe(
      '  1 | users:\n  2 |   - svcId: ann\n> 3 |     nmae: Ann\n    |     ^\n  4 |     email: a@example.com',
    )
  })
})
