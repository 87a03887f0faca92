// Where the project file is looked for, and whose it may be.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProject } from '../../src/project/find-project.ts'
import { inFolder } from '../manifests/manifest-fixture.ts'

describe('findProject', () => {
  it('looks upwards', () => {
    inFolder({ 'a/svcsync.yaml': '', 'a/b/c/x': '', 'a/d/svcsync.yml': '' }, (dir) => {
      expect(findProject(join(dir, 'a/b/c'))).toBe(join(dir, 'a/svcsync.yaml'))
      expect(findProject(join(dir, 'a/d'))).toBe(join(dir, 'a/d/svcsync.yml'))
      expect(findProject(dir)).toBeUndefined()
    })
  })

  it('ends at the root of the repository, and outside of one where folders belong to somebody else', () => {
    inFolder({ 'svcsync.yaml': '', 'a/.git/x': '', 'a/b/c': '', 'd/.git': '', 'd/e/f': '', 'g/h/i': '' }, (dir) => {
      const owners = (path: string): number[] => [path.includes(join(dir, 'g')) ? 2 : 1]
      const find = (path: string) => findProject(join(dir, path), { own: 2, ownersOf: owners })
      for (const path of ['a', 'a/b', 'd', 'd/e', 'g/h', 'g']) expect([path, find(path)]).toEqual([path, undefined])
      expect(findProject(join(dir, 'g/h'), { own: undefined, ownersOf: owners })).toBe(join(dir, 'svcsync.yaml'))
    })
  })

  it('takes no file of another user, and no link that another user has put there', () => {
    inFolder({ 'a/svcsync.yaml': '', 'a/b/c': '' }, (dir) => {
      const taken = (own: number, file: readonly number[]) => () =>
        findProject(join(dir, 'a/b'), { own, ownersOf: (path) => (path.endsWith('.yaml') ? file : [1]) })
      for (const file of [[1], [0], [7], [7, 1], [0, 7]]) expect(taken(7, file)()).toBe(join(dir, 'a/svcsync.yaml'))
      for (const file of [[2], [7, 2], [2, 7]]) expect(taken(7, file)).toThrow(/belongs to another user/)
    })
  })
})
