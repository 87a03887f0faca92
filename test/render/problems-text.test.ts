// Problems, errors and progress: the short texts.
import { describe, expect, it } from 'vitest'
import { AuthorError, InternalError, OperatorError, PlatformError, type Problem } from '../../src/errors/index.ts'
import { renderProblemsText } from '../../src/render/problems/render-problems-text.ts'
import { progressLine } from '../../src/render/report/progress-line.ts'
import { renderErrorText } from '../../src/render/report/render-error-text.ts'
import { renderProblemsJson } from '../../src/render/report/render-json.ts'
import { place } from './plan-fixture.ts'

const plain = { colour: false }

const problems: readonly Problem[] = [
  { code: 'SVC1900', severity: 'warning', message: 'Nothing is declared' },
  {
    code: 'SVC1203',
    severity: 'error',
    message: 'The group `finance@example.com` is declared twice',
    place: place('groups.yaml', 12, 5),
    address: 'group/finance@example.com',
    hint: 'Keep one of the two.',
    related: [{ message: 'first declared here', place: place('finance.yaml', 3, 5) }],
  },
]

describe('renderProblemsText', () => {
  it('sorts by place and counts in the last line', () => {
    const frame = ({ place }: Problem) => (place === undefined ? undefined : '  11 | groups:\n> 12 |   - svcId: x\n')
    expect(renderProblemsText(problems, { ...plain, frame })).toMatchInlineSnapshot(`
      "manifests/groups.yaml:12:5
        error SVC1203  The group \`finance@example.com\` is declared twice
          in group/finance@example.com
            11 | groups:
          > 12 |   - svcId: x
          manifests/finance.yaml:3:5  first declared here
          hint: Keep one of the two.

      warning SVC1900  Nothing is declared

      1 error, 1 warning
      "
    `)
  })

  it('says when there is none', () => {
    expect(renderProblemsText([], plain)).toBe('No problems found.\n')
  })

  it('is data in JSON', () => {
    expect(JSON.parse(renderProblemsJson(problems))).toEqual({
      formatVersion: '1.1',
      counts: { errors: 1, warnings: 1 },
      problems: [problems[1], problems[0]],
    })
  })
})

describe('renderErrorText', () => {
  it('says what happened, where, and what to do', () => {
    const failure = {
      kind: 'status',
      method: 'PATCH',
      path: '/api/groups/x',
      status: 409,
      type: 'ResourceIsLocked',
      errorGuid: '7c9e',
    } as const
    const details = { hint: 'Try again.', address: 'group/x' }
    expect(
      renderErrorText(new PlatformError('SVC3034', 'The group is locked', failure, details), plain),
    ).toMatchInlineSnapshot(`
      "error SVC3034  The group is locked
        in group/x
        PATCH /api/groups/x answered 409 ResourceIsLocked
        error id 7c9e
        hint: Try again.
      "
    `)
    expect(renderErrorText(new OperatorError('SVC2101', 'There is no project file'), plain)).toBe(
      'error SVC2101  There is no project file\n',
    )
  })

  it('shows the problems of an author', () => {
    expect(renderErrorText(new AuthorError(problems), plain)).toBe(renderProblemsText(problems, plain))
  })

  it('keeps stacks and causes for those who ask', () => {
    const error = new InternalError('A promise does not hold', new TypeError('x is not a function'))
    expect(renderErrorText(error, plain)).not.toContain('TypeError')
    expect(renderErrorText(error, { ...plain, verbose: true })).toMatch(
      /caused by TypeError: x is not a function\n {4}at /,
    )
    expect(renderErrorText(new RangeError('odd'), plain)).toMatch(/^unexpected error RangeError: odd\n {2}hint: /)
    expect(renderErrorText(undefined, plain)).toContain('something that is not an error was thrown')
    expect(renderErrorText(new AggregateError([error, error]), plain).match(/SVC9000/g)).toHaveLength(2)
  })
})

describe('progressLine', () => {
  it('tells how far the run is, and never wraps', () => {
    const state = { done: 12, total: 1500, failed: 1, rate: 8.34, waiting: 3, verified: 40 }
    const bar = '─'.repeat(20)
    expect(progressLine(state, { width: 120 })).toBe(
      `${bar}  12 of 1,500, 1 failed  8.3 a second  2 min 59 s left  3 to synchronise  40 read back`,
    )
    expect(progressLine(state)).toBe(`${bar}  12 of 1,500, 1 failed  2 min 59 s left  3 to synchronise`)
    expect(progressLine(state, { width: 50 })).toBe(`${bar}  12 of 1,500, 1 failed`)
    expect(progressLine(state, { width: 40 })).toBe('12 of 1,500, 1 failed')
    for (let width = 1; width < 120; width++) expect(progressLine(state, { width }).length).toBeLessThan(width || 1)
    expect(progressLine({ done: 3, total: 3, failed: 0, verified: 2 })).toBe(`${'━'.repeat(20)}  3 of 3  2 read back`)
  })
})
