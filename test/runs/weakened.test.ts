// Rules that a project weakens against the base of a plan: a point of the verdict, in every medium, with places.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { verdictOf } from '../../src/render/changes/verdict.ts'
import { renderPlanHtml } from '../../src/render/html/plan-page.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanJson } from '../../src/render/report/render-json.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const isPlan = documentValidator(closedPlanSchema)
const tenant = {
  users: [{ svcId: 'anna@example.com' }, { svcId: 'jan@example.com' }],
  groups: [
    { svcId: 'staff@example.com', name: 'Staff', members: ['anna@example.com', 'jan@example.com'] },
    { svcId: 'board@example.com', name: 'Board', members: ['anna@example.com'] },
  ],
  databases: [{ id: 1, applications: [{ name: 'Purchasing', privileges: [] }] }],
}
const staff = 'groups: [{ svcId: staff@example.com, members: [anna@example.com, jan@example.com]'

const opened: Workspace[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** A project whose base says `before`, and which says `after` now; each `project file, manifest`. */
async function planOf(
  [settingsThen, then]: readonly [settings: string, manifest: string],
  [settingsNow, now]: readonly [settings: string, manifest: string],
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly document: PlanDocument; readonly workspace: Workspace }> {
  const workspace = await openWorkspace({ tenant: tenant as never })
  opened.push(workspace)
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  workspace.write('base/svcsync.yaml', `${project}${settingsThen}\n`)
  workspace.write('base/manifests/main.yaml', then)
  workspace.write('svcsync.yaml', `${project}${settingsNow}\n`)
  workspace.manifest(now)
  for (const [file, text] of Object.entries(files)) workspace.write(file, text)
  return { document: (await workspace.plan({ base: 'folder' })).document, workspace }
}

const told = ({ weakened = [] }: PlanDocument) =>
  weakened.map(({ what, sentence, place, was }) => [what, sentence, place?.line ?? null, was?.file ?? null])

const group = `${staff} }]\n`

/** Lines of the project file before and after, and what is told. */
const looser = [
  [
    'guards: { deletions: { max: 3 } }',
    'guards: { deletions: { max: 30 } }',
    '`guards.deletions.max` goes from 3 to 30',
  ],
  ['guards: { removals: { percent: 5 } }', '', '`guards.removals.percent` goes from 5 to 30'],
  ['guards: { overwrites: refuse }', '', '`guards.overwrites` goes from `refuse` to `show`'],
  [
    'guards: { administratorGained: refuse }',
    'guards: { administratorGained: show }',
    '`guards.administratorGained` goes from `refuse` to `show`',
  ],
  ['protect: [group/board@example.com]', '', '`protect` no longer names `group/board@example.com`'],
  ['protect: ["group/b*"]', 'protect: ["group/a*"]', '`protect` no longer names `group/b*`'],
  ['prune: { groups: ["proj-*"] }', '', '`prune.groups` no longer names `proj-*`'],
  ['removed: { objects: delete }', '', '`removed.objects` goes from `delete` to `keep`'],
  ['', 'removed: { entries: keep }', '`removed.entries` goes from `remove` to `keep`'],
  ['', 'access: none', '`access` goes from `declared` to `none`'],
  ['', 'settings: { identifiers: ignore }', '`settings.identifiers` goes from `warn` to `ignore`'],
  ['settings: { unreadable: refuse }', '', '`settings.unreadable` goes from `refuse` to `skip`'],
  ['settings: { privileges: whole }', '', '`settings.privileges` goes from `whole` to `exclusive`'],
  ['', 'accounts: { external: ["*@corp.example.com"] }', '`accounts.external` now names `*@corp.example.com`'],
  ['ledger: { remote: origin }', '', '`ledger` is gone'],
  [
    'ledger: { remote: origin, signed: require }',
    'ledger: { remote: origin }',
    '`ledger.signed` goes from `require` to `accept`',
  ],
  ['globalPrivileges: { file: roles.yaml }', '', '`globalPrivileges` is gone'],
  [
    'globalPrivileges: { file: roles.yaml, maxAge: 30d }',
    'globalPrivileges: { file: roles.yaml }',
    '`globalPrivileges.maxAge` goes from 30 to 90',
  ],
] as const

const asStrict = [
  ['', 'protect: [group/board@example.com]'],
  ['protect: [group/board@example.com]', 'protect: ["group/*"]'],
  ['guards: { deletions: { max: 3 } }', 'guards: { deletions: { max: 3, percent: 1 } }'],
  ['removed: { entries: keep }', 'removed: { entries: remove }'],
  ['settings: { concurrency: 2 }', 'settings: { concurrency: 20 }'],
] as const

describe('a plan with a base tells what is weaker', () => {
  it.each(looser)('of the project file: %s, and now %s', async (before, after, sentence) => {
    const { document } = await planOf([before, group], [after, group])
    expect(document.weakened?.map((each) => each.sentence)).toEqual([sentence])
    expect(document.weakened?.[0]?.what).toBe('setting')
    const { severity, points } = verdictOf(document, false)
    expect(severity).toBe('danger')
    expect(points).toMatchObject([{ kind: 'weakened', count: 1, sentence: '1 setting is looser' }])
    expect(verdictOf(document, true).points).toEqual([])
  })

  it.each(asStrict)('and not what is as strict or stricter: %s, and now %s', async (before, after) => {
    const { document } = await planOf([before, group], [after, group])
    expect(document.weakened).toBeUndefined()
    expect(verdictOf(document, false)).toMatchObject({ severity: 'none' })
  })

  it('of the target, which may say for itself what stands at the top', async () => {
    const own = (...lines: string[]) => lines.map((line) => `    ${line}`).join('\n')
    const workspace = await openWorkspace({ tenant: tenant as never })
    opened.push(workspace)
    const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    workspace.write('base/svcsync.yaml', `${project}${own('confirm: name', 'protect: [group/board@example.com]')}\n`)
    workspace.write('base/manifests/main.yaml', group)
    workspace.write('svcsync.yaml', `${project}${own('protect: []')}\nprotect: [group/board@example.com]\n`)
    workspace.manifest(group)
    const { document } = await workspace.plan({ base: 'folder' })
    expect(document.weakened?.map(({ sentence }) => sentence)).toEqual([
      '`targets.test.confirm` is gone',
      '`protect` no longer names `group/board@example.com`',
    ])
  })
})

describe('a plan with a base tells what it guards less', () => {
  it('of lists: what is only added to, and what nothing lists or declares any more', async () => {
    const board = 'groups: [{ svcId: board@example.com, members: [anna@example.com] }]\n'
    const then =
      `${group}---\n${board}---\ndatabase: main\n` +
      'applications: [{ application: Purchasing, privileges: { Administrator: [], ReadOnly: [] } }]\n'
    const now =
      `${staff}, manage: { members: additive } }]\n---\ndatabase: main\n` +
      'applications: [{ application: Purchasing, privileges: { ReadOnly: [] } }]\n'
    const { document } = await planOf(['', then], ['', now])
    expect(told(document)).toEqual([
      [
        'list',
        'svcsync no longer manages `Administrator` in `privileges` of `application/main/Purchasing`',
        4,
        'base/manifests/main.yaml',
      ],
      [
        'object',
        'svcsync no longer manages `group/board@example.com`: nothing declares it',
        null,
        'base/manifests/main.yaml',
      ],
      [
        'list',
        '`members` of `group/staff@example.com` becomes additive: svcsync takes nobody out of it',
        1,
        'base/manifests/main.yaml',
      ],
    ])
    const { points } = verdictOf(document, false)
    // An object that nothing manages any more is told once.
    const about = points.filter(({ kind }) => ['weakened', 'no-longer-declared'].includes(kind))
    expect(about.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      ['weakened', '2 lists are managed less and 1 object is no longer managed'],
      ['no-longer-declared', '1 entry no longer declared'],
    ])
  })

  it('of a list that is left out, though the object stays; and says a setting once, not of each list', async () => {
    const without = 'groups: [{ svcId: staff@example.com, name: Staff }]\n'
    const left = (await planOf(['', group], ['', without])).document
    expect(left.weakened?.map(({ sentence }) => sentence)).toEqual([
      'svcsync no longer manages `members` of `group/staff@example.com`: nothing lists it',
    ])
    const deleted = (await planOf(['', group], ['', 'groups: [{ svcId: staff@example.com, absent: true }]\n'])).document
    expect([deleted.counts.delete, deleted.weakened]).toEqual([1, undefined])
    const additive = (await planOf(['', group], ['settings: { collections: additive }', group])).document
    expect(additive.weakened?.map(({ sentence }) => sentence)).toEqual([
      '`settings.collections` goes from `exclusive` to `additive`',
    ])
  })
})

describe('a plan with a base tells which rules are weaker', () => {
  it('of policies: gone, for fewer kinds, only warning, or rewritten, which nobody can judge', async () => {
    const policy = (name: string, more = '', expression = 'true') =>
      `  - { name: ${name}, for: [group, user], expression: "${expression}", message: No${more} }\n`
    const same = ['gone', 'warns', 'fewer', 'written', 'same']
    const [warns, fewer] = [policy('warns', ', level: warn'), policy('fewer').replace('group, user', 'group')]
    const other = policy('other', '', '1 == 1')
    const files = {
      'base/policies/all.yaml': [
        'policies:\n',
        ...same.map((name) => policy(name)),
        policy('renamed', '', '1 == 1'),
      ].join(''),
      'policies/all.yaml': [
        'policies:\n',
        warns,
        fewer,
        policy('written', '', '2 == 2'),
        policy('same', 'pe'),
        other,
      ].join(''),
    }
    const { document } = await planOf(['', group], ['', group], files)
    expect(told(document)).toEqual([
      ['policy', 'the policy `gone` is gone', null, 'base/policies/all.yaml'],
      ['policy', 'the policy `warns` only warns', 2, 'base/policies/all.yaml'],
      ['policy', 'the policy `fewer` is no longer for `user`', 3, 'base/policies/all.yaml'],
      ['policy', 'the policy `written` is rewritten, and may let more pass', 4, 'base/policies/all.yaml'],
    ])
    expect(document.weakened?.at(-1)?.certain).toBe(false)
  })

  it('of accepted exceptions: new ones, and those that hold longer', async () => {
    const accepted = (person: string, until: string) =>
      `  - { access: { person: ${person}@example.com, level: owner, object: group/staff@example.com }, ` +
      `until: ${until}, reason: stands in }\n`
    const earlier = '2026-02-01'
    const mine = accepted('anna', '2026-06-01')
    const files = {
      'base/exceptions.yaml': `exceptions:\n${accepted('anna', '2026-03-01')}${accepted('eva', '2026-03-01')}`,
      'exceptions.yaml': `exceptions:\n${mine}${accepted('eva', earlier)}${accepted('jan', earlier)}`,
    }
    const { document } = await planOf(['', group], ['', group], files)
    expect(told(document)).toEqual([
      [
        'exception',
        '`owner` of `anna@example.com` on `group/staff@example.com` ' +
          'is accepted longer than until 2026-03-01: until 2026-06-01',
        2,
        'base/exceptions.yaml',
      ],
      ['exception', '`owner` of `jan@example.com` on `group/staff@example.com` is accepted: until 2026-02-01', 4, null],
    ])
  })
})

describe('what is weaker is told', () => {
  it('in every medium, with its place; and a saved plan keeps it, under its digest', async () => {
    const { document, workspace } = await planOf(['protect: [group/board@example.com]', group], ['access: none', group])
    const sentence = '2 settings are looser'
    const text = renderPlanText(document, { colour: false, width: 120 })
    expect(text).toContain(`  ⚠ ${sentence}`)
    expect(text).toContain('protect no longer names group/board@example.com')
    expect(text).toMatch(/base\/svcsync\.yaml:\d+/)
    for (const shown of [renderPlanMarkdown(document), renderPlanHtml(document, { hash: () => '' })]) {
      expect(shown).toContain(sentence)
      expect(shown).toContain('no longer names')
    }
    const json = JSON.parse(renderPlanJson(document))
    expect([isPlan(json), isPlan.errors]).toEqual([true, null])
    expect(json.verdict.points).toMatchObject([{ kind: 'weakened', count: 2 }])
    const saved = parsed(await savedText(workspace, { base: 'folder' }))
    expect(saved.weakened).toEqual(JSON.parse(JSON.stringify(document.weakened)))
    expect(saved.digest).toBe(document.digest)
  })
})
