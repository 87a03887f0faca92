// Wherever svcsync writes a text of others as YAML, into a file or as lines to copy, it reads back as that text: never
// as a reference, another type or another key. The variables and files that the texts name are there, so that following
// one shows.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { inlineText, yamlText } from '../../src/core/model/yaml-text.ts'
import { checkInstallation } from '../../src/doctor/check-installation.ts'
import { entitiesText } from '../../src/export/export-files.ts'
import { locatedManifest } from '../../src/export/located.ts'
import { projectFile } from '../../src/export/project-file.ts'
import { kinds } from '../../src/kinds/index.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'
import { editWireNames } from '../../src/openapi/edit-wire-names.ts'
import { readExceptions } from '../../src/project/exceptions.ts'
import { loadProject } from '../../src/project/load-project.ts'
import { exceptionsEdit, writeExceptions } from '../../src/runs/edit/except-run.ts'
import { ciFiles, defaultCi } from '../../src/scaffold/ci-files.ts'
import { hostileText } from '../harness/hostile-text.ts'
import { tryLaw } from './law-runs.ts'

const dir = mkdtempSync(join(tmpdir(), 'svcsync-written-'))
mkdirSync(join(dir, 'manifests'))
writeFileSync(join(dir, 'taken.txt'), 'TAKEN')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const env = { TAKEN: 'TAKEN', HOME: 'TAKEN', SVCSYNC_CLIENT_ID: 'id', SVCSYNC_CLIENT_SECRET: 'a-secret' }

function itemsOf(text: string) {
  const file = join(dir, 'manifests/m.yaml')
  writeFileSync(file, text)
  const options = { files: [file], kinds, variables: { taken: 'TAKEN' }, env, projectDir: dir, displayBase: dir }
  const { problems, declarations } = loadManifests(options)
  expect(problems.map(({ message }) => message)).toEqual([])
  return JSON.parse(JSON.stringify(declarations.map(({ item }) => item)))
}

function targetOf(text: string) {
  writeFileSync(join(dir, 'svcsync.yaml'), text)
  const { project, problems } = loadProject(join(dir, 'svcsync.yaml'), { kinds, env, displayBase: dir })
  return { project, problems: problems.map(({ code }) => code) }
}

const base = {
  ...{ target: 'prod', baseUrl: 'https://a.example.com', apiVersion: '6.0' as const, schema: 's.json' },
  ...{ databases: { main: 1 }, wireNames: {} },
}
const law = (check: (text: string) => void, share = 1) =>
  tryLaw(
    fc.property(
      hostileText.filter((text) => text !== '' && !/[\ud800-\udfff]/u.test(text)),
      check,
    ),
    share,
  )

it('as an item or a field in a line to copy', () =>
  law((text) => {
    expect(itemsOf(`groups:\n  - { svcId: ${yamlText(text)}, members: [${yamlText(text)}] }\n`)).toMatchObject([
      { svcId: text, members: [text] },
    ])
  }))

it('as a key', () =>
  law((text) => {
    expect(Object.keys(parse(`{ ${inlineText(text)}: 1 }`) as object)).toEqual([text])
  }))

it('as an account of a project that `init` writes, or in the lines of `expect` that doctor prints', () =>
  law((text) => {
    const lines = checkInstallation(undefined, { signsInAs: text, applications: { main: [text, 'a'] } }).copy ?? []
    const written = projectFile({ ...base, external: [text] })
    const { project, problems } = targetOf(
      written.replace(/^ {4}clientId/m, () => `${lines.map((line) => `    ${line}`).join('\n')}\n    clientId`),
    )
    expect(problems).toEqual([])
    expect(project?.externalAccounts.map(String)).toEqual([text])
    expect(project?.target.expect).toEqual({ signsInAs: [text], applications: { main: [text, 'a'] } })
  }))

it('as a name of the interface: no other name, no reference, and refused where it is none', () =>
  law((text) => {
    const before = projectFile({ ...base, external: ['x'] })
    const after = editWireNames(before, ['targets', 'prod'], { svcId: text, [text]: 'b' })
    if (after === undefined) return
    const { project, problems } = targetOf(after)
    const { wireNames = {} } = project?.target ?? {}
    for (const [name, real] of Object.entries(wireNames))
      expect([name, real]).toEqual(real === 'b' ? [text, 'b'] : ['svcId', text])
    expect(problems.length > 0).toBe(Object.keys(wireNames).length < 2)
  }))

it('as what an address leads to', () =>
  law((text) => {
    const kind = kinds.find(({ name }) => name === 'application')
    if (kind === undefined) return
    const levels = [{ kind, objects: [{ name: text, id: 1 }] }]
    const located = { url: text, mode: text, dbId: 1, database: 'main', others: { report: { name: text } }, levels }
    const manifest = parse(locatedManifest(located)) as { applications: object[] }
    expect(manifest.applications).toEqual([{ application: text.replaceAll('${', () => '$${') }])
  }))

it('as a comment, which it cannot leave', () =>
  law((text) => {
    const entity = { guid: text, name: text, code: text, permissions: [{ svcId: text, type: text }] }
    expect(parse(entitiesText([entity], 's.json', () => undefined)) ?? {}).toEqual({})
  }))

it('as an exception that `access accept` writes, beside those that are there', () =>
  law((text) => {
    if (text.trim() !== text || text.length > 500) return
    const project = targetOf(projectFile(base)).project
    if (project === undefined) return
    const again = () => readExceptions({ project, targets: ['prod'], normalise: String, displayBase: dir })
    const opened = { project, assembly: { normalise: String }, displayBase: dir, exceptions: again() }
    const parsed = { root: { targets: { prod: {} } } }
    const entry = { person: text, level: 'Administrator', object: text, company: text, target: 'prod' }
    const edit = exceptionsEdit({ ...opened, parsed } as never, [{ ...entry, until: '2030-01-01', reason: text }])
    writeExceptions(opened, edit)
    const read = again()
    expect(read.problems.map(({ message, hint }) => `${message} ${hint}`)).toEqual([])
    expect(read.exceptions.filter((each) => 'person' in each && each.person === text)).toMatchObject([
      { person: text, object: text, company: text, reason: text },
    ])
  }, 0.5))

it.each(['prod', 'no', 'true', 'null', 'on'])('the target %s in pipelines stays a text', (target) => {
  for (const forge of ['github', 'gitlab', 'azure'] as const) {
    const files = ciFiles({ ...defaultCi(target), forge, targets: [target, 'other'] })
    const texts = Object.values(files).flatMap((text) => textsIn(parse(text) as unknown))
    expect(texts.filter((text) => text === target).length).toBeGreaterThan(0)
  }
})

function textsIn(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [value]
}
