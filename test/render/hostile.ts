// Foreign text at its worst, for properties over every renderer.

import fc from 'fast-check'
import type { AccessDocument } from '../../src/core/access/describe-access.ts'
import { checkNames, type DoctorReport } from '../../src/core/plan/doctor-report.ts'
import type { ChangeDocument, DifferenceDocument, PlanDocument } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { planOf, step } from './plan-fixture.ts'
import { reportOf, stepReport } from './report-fixture.ts'

const nasty = [
  '\u001b[31mred\u001b[0m',
  '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '\u009b2J',
  '\u202egnp.exe',
  '\u2066x\u2069',
  '\r\n',
  '\n\n```\n</details><script>alert(1)</script>',
  '``` ```` `a` `',
  '|',
  '<img src=x onerror=alert(1)>',
  '<!-- -->',
  '@everyone',
  '@org/team',
  '#1',
  '/close',
  '\n/label ~bug\n',
  ' /merge ',
  '!1',
  '~bug',
  '~"to do"',
  '%1',
  '&1',
  '[vulnerability:1]',
  '{+ a +}',
  '@<0f8fad5b-d9cb-469f-a165-70867728950e>',
  'https://evil.example',
  '[a](javascript:alert(1))',
  '\u200b\ufeff\u{e0041}',
  '\ud800',
  '&lt;',
  '$x$',
  '::error file=a.ts::gone',
  '\n::add-mask::x',
  '##vso[task.setvariable variable=a]b',
  '###[error]x',
  '##teamcity[buildStop]',
  'żółć 漢字 👩‍👩‍👧',
]

export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 6 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))

export const secret = 'S3CRET-before'

const json = fc.oneof(
  hostileText,
  fc.constant(null),
  fc.integer(),
  fc.boolean(),
  fc.dictionary(hostileText, hostileText),
)
const elements = fc.array(
  fc.record(
    { svcId: hostileText, level: hostileText, company: fc.record({ guid: hostileText, name: hostileText }) },
    { requiredKeys: ['svcId'] },
  ),
  { maxLength: 4 },
)
const place = hostileText.map((file) => ({ file, line: 1, column: 1 }))

const difference: fc.Arbitrary<DifferenceDocument> = fc.oneof(
  fc.record({ path: hostileText, before: json, after: json, place }, { requiredKeys: ['path', 'after'] }),
  fc.record({ path: hostileText, masked: fc.constant(true as const), before: fc.constant(secret), after: hostileText }),
  fc.record({ path: hostileText, added: elements, removed: elements }),
  fc
    .record({ path: hostileText, who: elements, set: hostileText, text: hostileText, place, listedAt: place })
    .map(({ path, who, set, text, place, listedAt }) => ({
      path,
      added: who,
      removed: [...who, { svcId: text }],
      throughSets: who.map((each) => ({ ...each, set, place, listedAt })),
      notInSets: [{ set, place }],
      outsideTime: who.map((each) => ({
        ...each,
        event: 'ended' as const,
        at: text,
        shown: text,
        set,
        place,
        listedAt,
      })),
    })),
)

const change: fc.Arbitrary<ChangeDocument> = fc.record(
  {
    address: hostileText.map((name) => `user/${name}`),
    kind: hostileText,
    action: fc.constantFrom('create', 'update', 'delete'),
    differences: fc.array(difference, { maxLength: 4 }),
    prunedBy: hostileText,
    place,
  },
  { requiredKeys: ['address', 'kind', 'action', 'differences'] },
)

export const hostilePlan: fc.Arbitrary<PlanDocument> = fc
  .record({ changes: fc.array(change, { maxLength: 8 }), name: hostileText, text: hostileText })
  .map(({ changes, name, text }) =>
    planOf(changes, [step(1, text, 'create', { spec: { [text]: text } })], {
      kinds: { user: text },
      target: { name, baseUrl: text, apiVersion: '6.0', databases: { [text]: 1 } },
      unreadable: [{ address: text, reason: text, hint: text }],
      unverifiable: [{ address: text, paths: [text] }],
      upcoming: [
        {
          address: text,
          collection: text,
          svcId: text,
          event: 'ends',
          at: text,
          shown: text,
          place: { file: text, line: 1, column: 1 },
        },
        ...[1, 2].map((line) => ({
          address: text,
          collection: text,
          company: { guid: text, name: text },
          svcId: text,
          event: 'begins' as const,
          at: text,
          shown: text,
          place: { file: text, line: 1, column: 1 },
          set: text,
          listedAt: { file: text, line, column: 1 },
        })),
      ],
      access: {
        mode: 'declared',
        ...Object.fromEntries(
          ['gained', 'lost', 'changed', 'unknown'].map((event) => [
            event,
            [text, name].map((subject) => ({
              ...{ subject, level: text, address: text, company: text, via: [text, name], kind: 'privilege' },
              ...{ before: [name], unseen: text },
            })),
          ]),
        ),
        more: { gained: 1, lost: 1, changed: 1, unknown: 1 },
        unread: 2,
      } as unknown as AccessDocument,
      accessDrift: {
        ...{
          requests: 3,
          undeclared: 5,
          accepted: 2,
          mayBeGroups: [text, name],
          unread: [{ address: text, reason: text }],
        },
        ...Object.fromEntries(
          ['expired', 'idle'].map((event) => [
            event,
            [
              {
                person: text,
                level: text,
                object: text,
                company: text,
                until: text,
                reason: text,
                place: { file: text, line: 1, column: 1 },
              },
            ],
          ]),
        ),
      } as unknown as NonNullable<PlanDocument['accessDrift']>,
      prune: { kept: [{ address: text, reason: text }] },
      guards: (['refused', 'allowed'] as const).map((verdict) => ({
        guard: 'last-owner',
        verdict,
        sentence: `\`group/${text}\` would lose ${text}.`,
        numbers: {},
        addresses: [text],
        allow: `last-owner=group/${text}`,
      })),
      warnings: [
        {
          code: text,
          severity: 'warning',
          message: text,
          address: text,
          hint: text,
          related: [{ message: text, place: { file: text, line: 1, column: 1 } }],
        },
      ],
    }),
  )

export const hostileReport: fc.Arbitrary<ApplyReport> = fc
  .record({ text: hostileText, differences: fc.array(difference, { maxLength: 3 }) })
  .map(({ text, differences }) =>
    reportOf(
      [
        stepReport(1, text, 'failed', { reason: text, hint: text, collection: text, verb: 'add' }),
        stepReport(2, text, 'skipped', { because: '1' }),
      ],
      { outcome: 'partial', verified: { equal: 0, unequal: [{ address: text, differences, reason: text }] } },
    ),
  )

const result = fc.constantFrom('ok', 'warning', 'problem', 'not-checked')

export const hostileExamination: fc.Arbitrary<DoctorReport> = fc
  .record({
    text: hostileText,
    results: fc.array(result, { minLength: checkNames.length, maxLength: checkNames.length }),
  })
  .map(({ text, results }) => ({
    formatVersion: '1.0',
    result: 'problem',
    target: { name: text, baseUrl: text, authUrl: text, apiVersion: '6.0', databases: { [text]: 1 } },
    counts: { ok: 1, warning: 1, problem: 1, 'not-checked': 1 },
    checks: checkNames.map((check, index) => ({
      check,
      result: results[index] ?? 'ok',
      found: text,
      code: text,
      todo: text,
      details: [text, text],
    })),
    variants: [
      { number: 1, switch: text, about: text, state: text, found: text },
      { number: 2, switch: text, about: text, found: text },
    ],
    requests: 1,
  }))
