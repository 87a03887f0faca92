// Edits of manifests for a new login, and for somebody who joins like another.
import { describe, expect, it } from 'vitest'
import { hireEdits } from '../../src/editor/hire-edits.ts'
import { renameEdits } from '../../src/editor/rename-edits.ts'
import { editedTexts, folderWith, openFolder, projectText } from './edit-fixture.ts'

const anna = 'anna@example.com'
const eva = 'eva@example.com'

const manifest = `sets:
  clerks: [Anna@example.com] # by the team
  admins: ['anna@example.com']
users:
  - svcId: "anna@example.com" # her login
    name: Anna
    managerSvcId: boss@example.com
  - { svcId: jan@x, name: Jan, managerSvcId: anna@example.com }
groups:
  - { svcId: g@x, name: G, members: [{ set: clerks }], owners: [anna@example.com] }
  - svcId: h@x
    name: H
    members:
      - jan@x

      - { svcId: anna@example.com, until: 2100-01-01 }
  - { svcId: boss@x, name: B, members: [anna@example.com] }
  - { svcId: inner@x, name: I, members: [{ set: admins }] }
licenses:
  - { svcId: anna@example.com, licenses: [{ type: PowerUser }] }
applications:
  - application: Purchasing
    privileges: { Administrator: [boss@x, inner@x, anna@example.com], ReadOnly: [{ svcId: anna@example.com }] }
substitutions:
  - { person: anna@example.com, substitute: jan@x, type: TaskDelegation, from: 2100-01-01, to: 2100-02-01 }
`

describe('a new login', () => {
  it('stands in every place, in the quotes of the old one, which is let go of', () => {
    const project = openFolder(folderWith({ 'a.yaml': manifest }))
    const { edits } = renameEdits(project.targets, anna, eva)
    const after = editedTexts(project, edits, ({ accounts }) => accounts.includes(anna) || accounts.includes(eva))
    const expected = manifest
      .replaceAll(/anna@example.com/gi, eva)
      .replace(
        '    managerSvcId: boss@example.com\n',
        '    managerSvcId: boss@example.com\n    replaces: anna@example.com\n',
      )
      .replace(
        'managerSvcId: eva@example.com }\n',
        'managerSvcId: eva@example.com }\n  - svcId: anna@example.com\n    absent: true\n',
      )
      .replace(
        'licenses: [{ type: PowerUser }] }\n',
        'licenses: [{ type: PowerUser }] }\n  - { svcId: anna@example.com, licenses: [] }\n',
      )
    expect(after['a.yaml']).toBe(
      `${expected}  - { person: anna@example.com, substitute: jan@x, type: ` +
        'TaskDelegation, from: 2100-01-01T00:00:00Z, absent: true }\n',
    )
  })

  it('goes behind the fields of the last item, before the old one', () => {
    const text = 'users:\n  - svcId: anna@example.com\n    name: A\n'
    const project = openFolder(folderWith({ 'a.yaml': text }))
    expect(editedTexts(project, renameEdits(project.targets, anna, eva).edits)['a.yaml']).toBe(
      'users:\n  - svcId: eva@example.com\n    name: A\n' +
        '    replaces: anna@example.com\n  - svcId: anna@example.com\n    absent: true\n',
    )
  })

  it('is refused where a variable holds the old one', () => {
    const files = {
      'svcsync.yaml': projectText.replaceAll('databases', 'variables: { who: anna@example.com }, databases'),
      'a.yaml': 'groups:\n  - { svcId: g@x, name: G, members: ["${var:who}"] }\n',
    }
    const project = openFolder(folderWith(files))
    const { edits } = renameEdits(project.targets, anna, eva)
    expect(() => editedTexts(project, edits)).toThrow('manifests/a.yaml:2:38  holds a reference')
  })
})

function hire(more: Partial<Parameters<typeof hireEdits>[1]> = {}) {
  const project = openFolder(folderWith({ 'a.yaml': manifest }))
  const { edits, named } = hireEdits(project.targets, {
    person: eva,
    like: anna,
    administers: false,
    entriesEnd: false,
    ...more,
  })
  const after = editedTexts(project, edits, ({ accounts }, which) => which === 'added' && accounts.includes(eva))
  return { named: named.map((line) => line.replace(/^\S+ +/, '')).sort(), text: after['a.yaml'] }
}

describe('who joins like somebody', () => {
  it('comes into their lists, but for owners, and for what makes an Administrator', () => {
    const { named, text } = hire({ name: 'Eva' })
    expect(named).toEqual([
      'Administrator of application Purchasing',
      'managerSvcId: boss@example.com',
      'member of boss@x, which leads to Administrator of application/main/Purchasing',
      'owner of g@x',
      'person of substitution anna@example.com→jan@x/TaskDelegation/2100-01-01',
      'the set admins, through group/inner@x Administrator of application/main/Purchasing',
    ])
    expect(text).toBe(
      manifest
        .replace('[Anna@example.com]', '[Anna@example.com, eva@example.com]')
        .replace(
          'managerSvcId: anna@example.com }\n',
          'managerSvcId: anna@example.com }\n  - svcId: eva@example.com\n    name: Eva\n    email: eva@example.com\n',
        )
        .replace(
          'until: 2100-01-01 }\n',
          'until: 2100-01-01 }\n\n      - { svcId: eva@example.com, until: 2100-01-01 }\n',
        )
        .replace(
          'licenses: [{ type: PowerUser }] }\n',
          'licenses: [{ type: PowerUser }] }\n  - { svcId: eva@example.com, licenses: [{ type: PowerUser }] }\n',
        )
        .replace('[{ svcId: anna@example.com }]', '[{ svcId: anna@example.com }, eva@example.com]'),
    )
  })

  it('comes into all of them by name, and for a time', () => {
    const { named, text } = hire({ administers: true, until: '2099-12-31', entriesEnd: true })
    expect(named.some((line) => line.includes('Administrator'))).toBe(false)
    expect(text).toContain(
      'Administrator: [boss@x, inner@x, anna@example.com, { svcId: eva@example.com, until: 2099-12-31 }]',
    )
    expect(text).toContain("  admins: ['anna@example.com', { svcId: 'eva@example.com', until: 2099-12-31 }]\n")
    expect(text).toContain('      - { svcId: eva@example.com, until: 2099-12-31 }\n')
    expect(text).toContain('  - { svcId: eva@example.com, licenses: [{ type: PowerUser, until: 2099-12-31 }] }\n')
    expect(text).toContain('  - svcId: eva@example.com\n    email: eva@example.com\n')
  })

  it('comes for a time with an account that ends, and nothing else has an end', () => {
    const { text } = hire({ until: '2099-12-31' })
    expect(text).toContain('  - svcId: eva@example.com\n    email: eva@example.com\n    until: 2099-12-31\n')
    expect(text?.match(/2099-12-31/g)).toHaveLength(1)
    expect(text).toContain('      - { svcId: eva@example.com, until: 2100-01-01 }\n')
  })

  it('hears that the other account ends, unless an end is given', () => {
    const text = `users:\n  - { svcId: ${anna}, until: 2100-06-30 }\n`
    const project = openFolder(folderWith({ 'a.yaml': text }))
    const like = { person: eva, like: anna, administers: false, entriesEnd: false }
    expect(hireEdits(project.targets, like).named).toEqual(['manifests/a.yaml:2:32  until: 2100-06-30'])
    expect(hireEdits(project.targets, { ...like, until: '2100-01-31' }).named).toEqual([])
  })

  it('is not put into a list twice', () => {
    const project = openFolder(
      folderWith({ 'a.yaml': 'groups:\n  - { svcId: g@x, name: G, members: [anna@example.com, EVA@example.com] }\n' }),
    )
    expect(
      hireEdits(project.targets, { person: eva, like: anna, administers: false, entriesEnd: false }).edits,
    ).toEqual([])
  })
})

it('leaves comments to the item that they are about, and adds below them', () => {
  const text = (added: string) => `users:
  - svcId: ${anna}
    name: Anna
    # jobTitle stays as it is
${added}
  # about the list
groups:
  - svcId: g@x
    name: G
    members:
      - ${anna}
        # by the team
${added === '' ? '' : `      - ${eva}\n`}`
  const project = openFolder(folderWith({ 'a.yaml': text('') }))
  const { edits } = hireEdits(project.targets, { person: eva, like: anna, administers: false, entriesEnd: false })
  expect(editedTexts(project, edits)['a.yaml']).toBe(text(`  - svcId: ${eva}\n    email: ${eva}\n`))
})

it('writes names that YAML 1.1 takes for booleans in quotes, and keeps tabs', () => {
  const text = (first: string, owner: string) =>
    `groups:\n  - svcId: g@x\n    name: G\n    members:\n      -\t${first}\n` +
    `      - b@x\t# tab\n    owners: [ ${owner} , b@x ]\n`
  const project = openFolder(folderWith({ 'a.yaml': text('no', 'no') }))
  expect(editedTexts(project, renameEdits(project.targets, 'NO', 'on').edits)['a.yaml']).toBe(text('"on"', '"on"'))
})
