// Annotations of a pull request: the most serious first, ten of each severity, and foreign text is no command.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderFirstGithub } from '../../src/render/problems/render-problems-for-services.ts'
import { annotationsOf } from '../../src/render/report/annotations.ts'
import type { RunResult } from '../../src/render/report/combined.ts'
import { hostilePlan, hostileReport, secret } from './hostile.ts'
import { accessPlan, emptyPlan, fullPlan, place, planOf, refusedPlan } from './plan-fixture.ts'
import { readGithubCommand } from './problem-readers.ts'
import { troubledReport } from './report-fixture.ts'

const ofPlan = (plan: typeof fullPlan, command: 'plan' | 'drift' = 'plan'): RunResult => ({ command, plan })
const render = (...all: readonly RunResult[]) => renderFirstGithub(annotationsOf(all), 'the summary')
const titles = (...all: readonly RunResult[]) => annotationsOf(all).map(({ severity, code }) => `${severity} ${code}`)

it('begins with what is refused, then what could not be read; gains and losses are warnings at their lines', () => {
  expect(render(ofPlan(refusedPlan))).toMatchInlineSnapshot(`
    "::error title=Refused by the guard deletions::14 of 40 groups would be deleted (35 %25). The limits of one run are 10 of a kind, and 20 %25 from 5 on.%0AIf this is intended, allow it: \`--allow deletions=14\`.
    ::error title=Refused by the guard last-administrator::\`process/main/It's/Invoice approval\` would have no Administrator left; 1 entry gives that level now.%0AIf this is intended, allow it: \`--allow "last-administrator=process/main/It's/Invoice approval"\`.
    ::error title=Refused by the guard unread::\`group/old@example.com\` would be deleted, and \`group/b\` could not be read: who refers to it is not known.
    ::warning title=Verdict::Refused by 3 guards, 1 group is deleted.
    ::warning title=Deleted::\`group/old@example.com\` is deleted.
    "
  `)
  expect(render(ofPlan(fullPlan))).toMatchInlineSnapshot(`
    "::error title=Could not be read::\`group/locked@example.com\` could not be read: The Svc platform answered 403: the client may not read this group.%0AGive the client the scope that reads groups, then plan again.
    ::warning title=Verdict::1 group is deleted, 3 entries are removed from 2 objects, 1 object could not be read.
    ::warning title=Deleted::\`group/old@example.com\` is deleted.
    ::warning file=manifests/groups.yaml,line=4,col=5,title=Taken away::\`group/finance@example.com\` loses members piotr.zielinski@example.com.
    ::warning file=manifests/groups.yaml,line=4,col=5,title=Taken away::\`group/finance@example.com\` loses owners jan.kos@example.com.
    ::warning file=manifests/processes.yaml,line=9,col=5,title=Taken away::\`process/main/Purchasing/Invoice approval\` loses privileges ap-clerks@example.com (Modify, PL01).
    ::warning file=manifests/groups.yaml,line=11,col=9,title=SVC1306::\`ewa.nowak@example.com\` is not declared, and the platform has no such user or group.%0AIf it is a directory account, all is well; otherwise the platform will refuse it.
    "
  `)
  expect(render(ofPlan(emptyPlan))).toBe('Nothing to point out.\n')
})

it('says who comes to administer what, at the line that brings it about', () => {
  const given = planOf(
    [
      {
        address: 'group/admins@example.com',
        kind: 'group',
        action: 'update',
        differences: [],
        place: place('groups.yaml', 7),
      },
    ],
    [],
    {
      access: {
        ...accessPlan.access!,
        gained: [
          {
            subject: 'eva@example.com',
            level: 'Administrator',
            address: 'process/main/Invoices',
            company: null,
            via: ['admins@example.com'],
            kind: 'privilege',
          },
          {
            subject: 'jan@example.com',
            level: 'Modify',
            address: 'process/main/Invoices',
            company: null,
            via: [],
            kind: 'privilege',
          },
        ],
      },
    },
  )
  const [verdict, comes] = render(ofPlan(given)).trimEnd().split('\n')
  expect(verdict).toMatch(/^::warning title=Verdict::1 account becomes Administrator, /)
  expect(comes).toBe(
    '::warning file=manifests/groups.yaml,line=7,col=5,title=Comes to administer::eva@example.com ' +
      'comes to administer `process/main/Invoices` through admins@example.com.',
  )
})

it('calls an entry by hand an error in a drift, since it gives something; and names what an apply left undone', () => {
  expect(new Set(titles(ofPlan(fullPlan, 'drift')))).toEqual(
    new Set(['error Could not be read', 'error Drift', 'warning Verdict', 'warning Drift', 'warning SVC1306']),
  )
  expect(titles({ command: 'apply', report: troubledReport })).toMatchInlineSnapshot(`
    [
      "error Step failed",
      "error Step unknown",
      "error Step skipped",
      "error Step skipped",
      "error Different",
      "error Different",
    ]
  `)
})

it('says once what several targets have in common, and in which the rest is', () => {
  const on = (name: string, plan: typeof fullPlan) => ofPlan({ ...plan, target: { ...plan.target, name } })
  const [first] = annotationsOf([on('a', fullPlan), on('b', fullPlan), on('c', refusedPlan)])
  expect(first?.targets).toEqual(['c'])
  expect(annotationsOf([on('a', fullPlan), on('b', fullPlan)])).toEqual(annotationsOf([on('a', fullPlan)]))
})

it('shows ten of each severity, and how many more there are', () => {
  const changes = Array.from({ length: 25 }, (_, index) => ({
    address: `user/u${index}@example.com`,
    kind: 'user',
    action: 'delete' as const,
    differences: [],
    place: place('users.yaml', index + 1),
  }))
  const lines = render(ofPlan(planOf(changes, [])))
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(11)
  expect(lines[0]).toBe('::warning title=Verdict::25 users are deleted.')
  expect(lines[1]).toContain('line=1,')
  expect(lines.at(-1)).toBe('16 more warnings in the summary.')
})

it('lets nothing that others wrote begin a command or a property, and shows no secret', () => {
  fc.assert(
    fc.property(
      hostilePlan,
      hostileReport,
      fc.constantFrom('plan' as const, 'drift' as const),
      (plan, report, command) => {
        const text = render({ command, plan }, { command: 'apply', report })
        expect(text).not.toContain(secret)
        for (const line of text.trimEnd().split('\n')) {
          const read = readGithubCommand(line)
          if (read === undefined)
            expect(line).toMatch(/^(?:[\d,]+ more (?:errors?|warnings?) in the summary\.|Nothing to point out\.)$/)
          else {
            expect(['error', 'warning']).toContain(read.name)
            for (const name of Object.keys(read.properties)) expect(['file', 'line', 'col', 'title']).toContain(name)
          }
        }
      },
    ),
  )
})
