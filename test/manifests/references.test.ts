// References to the environment, to files and to the target's variables.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { kinds } from '../../src/kinds/index.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'
import { brief, inFolder, load } from './manifest-fixture.ts'

const nameOf = (written: string, files = {}) => {
  const yaml = `users:\n  - svcId: a\n    name: ${written}`
  const settings = { env: { HOST: 'h', EMPTY: '' }, variables: { area: 'north', nested: '${env:HOST}' } }
  const { declarations, problems } = load({ 'm.yaml': yaml, ...files }, settings)
  expect(brief(problems)).toEqual([])
  return declarations[0]?.item.name as unknown
}

describe('references', () => {
  it.each([
    ['"${var:area}-1"', 'north-1'],
    ['a$b$$c', 'a$b$$c'],
    ['"$${env:HOST}"', '${env:HOST}'],
    ['"$${ and ${var:area}"', '${ and north'],
    ['"${var:nested}"', '${env:HOST}'],
  ])('%s is plain text', (written, value) => expect(nameOf(written)).toBe(value))

  it.each([
    ['"${env:HOST}"', 'h'],
    ['"https://${env:HOST}/${var:area}"', 'https://h/north'],
    ['"${env:EMPTY}"', ''],
    ['"${file:f/one.txt}"', 'one\n'],
    ['|-\n      ${env:HOST}\n      x', 'h\nx'],
  ])('%s is sensitive', (written, value) => {
    const result = nameOf(written, { 'f/one.txt': 'one\n\n' })
    expect(result).toBeInstanceOf(Sensitive)
    expect((result as Sensitive).reveal()).toBe(value)
    expect(JSON.stringify(result)).toContain('${')
  })

  it('are pointed at inside a text, whatever its style', () => {
    const yaml =
      'users:\n  - svcId: a\n    name: "\\t${env:A} ${env:B}"\n' +
      '    jobTitle: >\n      x\n      ${env:C}\n    email: x${env:D}'
    expect(brief(load(yaml).problems).map((line) => line.split(' ')[1])).toEqual(['3:14', '3:23', '6:7', '7:13'])
  })

  it('to files stay inside the project, also behind links', () => {
    const files = { 'project/m.yaml': 'users: [{ svcId: a, name: "${file:link}" }]', 'outside.txt': 'x' }
    const { problems } = inFolder(files, (dir) => {
      symlinkSync(join(dir, 'outside.txt'), join(dir, 'project/link'))
      const projectDir = join(dir, 'project')
      const options = {
        files: [join(projectDir, 'm.yaml')],
        kinds,
        variables: {},
        env: {},
        projectDir,
        displayBase: dir,
      }
      return loadManifests(options)
    })
    expect(problems[0]?.message).toBe('The file `link` is outside the project')
  })

  it('to files that are no text are refused', () => {
    const { problems } = load({
      'm.yaml': 'users: [{ svcId: a, name: "${file:x.bin}" }, { svcId: b, name: "${file:sub}" }]',
      'x.bin': Uint8Array.of(0xff, 0xfe, 0xfd),
      'sub/empty.txt': '',
    })
    expect(problems.map(({ message }) => message)).toEqual([
      'The file `x.bin` cannot be read: it is not UTF-8 text',
      'The file `sub` cannot be read: it is a folder',
    ])
  })

  it('without quotes in braces are no YAML, which is said', () => {
    const { problems } = load('connections: [{ name: a, type: SQL, sql: { common: { server: ${var:a} } } }]')
    expect(problems).toMatchObject([
      { code: 'SVC1003', hint: 'In brackets and braces a reference needs quotes: `"${…}"`.' },
    ])
  })

  it('after a tab need a space, which is said', () => {
    const { problems } = load('groups:\n  - svcId: g\n    members:\t["${var:a}"]\n')
    expect(problems).toMatchObject([{ code: 'SVC1003', hint: 'Write a space instead of the tab before this place.' }])
  })

  it('to an empty variable are refused where a credential is wanted', () => {
    const yaml = 'connections: [{ name: a, type: SQL, sql: { common: { password: "${env:EMPTY}" } } }]'
    const { problems } = load(yaml, { env: { EMPTY: '' } })
    expect(brief(problems)).toEqual([
      'SVC1201 1:64 The environment variable `EMPTY` is empty, but `password` needs a credential',
    ])
    expect(problems[0]?.hint).toContain('a pipeline passes a missing or withheld secret')
  })
})
