// Laws of the base: what a commit declared is what its checkout declares, and where it stood means nothing.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { byAddress } from '../../src/core/model/address.ts'
import { manifestsText } from '../../src/core/plan/plan-digest.ts'
import { kinds } from '../../src/kinds/index.ts'
import { openBase } from '../../src/runs/open/open-base.ts'
import { checkProject, type OpenedProject, openProject } from '../../src/runs/open/open-project.ts'
import { openRepository, type Repository } from '../harness/repository.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { type Item, secrets, writeManifests } from './world.ts'

let repo: Repository
beforeAll(() => {
  repo = openRepository()
  repo.write(
    'svcsync.yaml',
    'version: 1\nmanifests: ["m*/**/*.yaml"]\n' +
      'targets: { test: { baseUrl: "https://svc.example.com", databases: { main: 1 } } }\n',
  )
})
afterAll(() => repo.remove())

const options = () => ({ cwd: repo.dir, kinds, needCredentials: false, nowMs: Date.parse('2026-01-01T00:00:00Z') })
const open = (env: Readonly<Record<string, string>>) => openProject({ ...options(), env })
const declared = ({ desired, problems }: Pick<OpenedProject, 'desired' | 'problems'>) => ({
  desired: [...manifestsText([...desired].sort(byAddress))],
  errors: problems.filter(({ severity }) => severity === 'error'),
})

/** The items in as many files as there are lists, in a folder of that name. */
function write(folder: string, files: readonly (readonly Item[])[]): void {
  for (const name of folders) rmSync(join(repo.dir, name), { recursive: true, force: true })
  writeManifests(repo, files, folder)
}

const folders = ['manifests', 'm ü', 'm"\n$(x)', 'm-/x']
const folder = fc.constantFrom(...folders)
const dealt = (items: readonly Item[]) =>
  fc
    .tuple(fc.shuffledSubarray([...items], { minLength: items.length }), fc.integer({ min: 1, max: 4 }))
    .map(([all, count]) =>
      Array.from({ length: count }, (_, file) => all.filter((_item, index) => index % count === file)),
    )
const before = situations.chain(({ items }) =>
  fc.record({ first: dealt(items), again: dealt(items), folder, other: folder }),
)

it('a commit declares what its checkout does, whatever is there now, with references as written', async () => {
  await tryLaw(
    fc.property(before, situations, folder, ({ first, folder }, { items }, elsewhere) => {
      write(folder, first)
      const commit = repo.commit()
      const then = declared(open(secrets))
      write(elsewhere, [items])
      const base = openBase({ ref: commit }, open(secrets), { ...options(), env: secrets })
      expect(declared(checkProject(base.read))).toEqual(then)
      expect(base.read.problems).toEqual([])
    }),
    1,
  )
})

it('files that were moved, split, put together or written in another order declare the same', async () => {
  await tryLaw(
    fc.property(before, ({ first, again, folder, other }) => {
      write(folder, first)
      repo.commit()
      write(other, again)
      const now = open(secrets)
      const base = openBase({ ref: 'HEAD' }, now, { ...options(), env: {} })
      expect(declared(checkProject(base.read))).toEqual(declared(now))
    }),
    1,
  )
})
