// Problems for the formats of pipelines: an error with everything, a warning, one without a place, and hostile ones.
import fc from 'fast-check'
import type { Problem } from '../../src/errors/index.ts'
import { hostileText } from './hostile.ts'
import { place } from './plan-fixture.ts'

export const problems: readonly Problem[] = [
  { code: 'SVC1502', severity: 'error', message: 'There is no target `prod`', hint: 'Add it under `targets`.' },
  {
    code: 'SVC1107',
    severity: 'warning',
    message: '`owners` is empty',
    place: place('a, b: 100% [ok];.yaml', 9, 3),
    hint: 'It declares nothing: fill it, or remove the key.',
  },
  {
    code: 'SVC1301',
    severity: 'error',
    message: 'The group `finance@example.com` is declared twice; 100%',
    place: place('groups.yaml', 12, 5),
    address: 'group/finance@example.com',
    hint: 'Keep one of the two.',
    related: [{ message: 'first declared here', place: place('finance.yaml', 3, 5) }],
  },
]

export const files = [
  'svcsync.yaml',
  'manifests/groups.yaml',
  'manifests/users.yaml',
  'manifests/a, b: 100% [ok];.yaml',
]

/** Many problems of one severity, in one file. */
export function many(severity: Problem['severity'], count: number): Problem[] {
  return Array.from({ length: count }, (_, index) => ({
    code: 'SVC1101',
    severity,
    message: `Unknown key \`k${index}\``,
    place: place('many.yaml', index + 1),
  }))
}

/** Text that a runner or a reader could misread. */
const text = fc.oneof(
  hostileText,
  fc.constantFrom(
    '##vso[task.setvariable variable=PATH]x',
    '###[add-mask]a',
    '::set-output name=a::b',
    '\n::stop-commands::x\n',
    '%0A::error::x',
    '%AZP25%3B%5D;]',
    ',line=7,title=x',
    ']]></failure>',
    '&#0;&amp;',
    '\ufffe\uffff',
    '[click](https://evil.example)',
    '../..//a b/ż%2F?#.yaml',
    'C:/x.yaml',
    '__proto__',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const number = fc.integer({ min: 1, max: 2_000_000 })
const anyPlace = fc.record({ file: text, line: number, column: number })

export const hostileProblems: fc.Arbitrary<readonly Problem[]> = fc.array(
  fc.record(
    {
      code: fc.oneof(fc.constantFrom('SVC1101', 'SVC1203', 'toString'), text),
      severity: fc.constantFrom('error' as const, 'warning' as const),
      message: text,
      place: anyPlace,
      address: text,
      hint: text,
      related: fc.array(fc.record({ message: text, place: anyPlace }), { maxLength: 2 }),
    },
    { requiredKeys: ['code', 'severity', 'message'] },
  ),
  { maxLength: 14 },
)
