// The tag from which GitHub takes the action: it holds the program, and leaves everything else as it was.
import { expect, it } from 'vitest'
import { tagWithDist } from '../../scripts/tag/tag-with-dist.ts'
import { gitEnvironment, openRepository } from '../harness/repository.ts'

it('holds what action.yml starts, and moves neither branch nor index', () => {
  const repo = openRepository()
  repo.write('.gitignore', 'dist/\n')
  repo.write('action.yml', 'runs: { using: node24, main: dist/action.js }\n')
  const before = repo.commit()
  repo.write('dist/action.js', 'built')
  const env = gitEnvironment as unknown as NodeJS.ProcessEnv
  const commit = tagWithDist(repo.dir, 'v1.2.3', env)
  expect(repo.git('rev-parse', 'v1.2.3^{commit}', 'v1.2.3^', 'HEAD')).toBe([commit, before, before].join('\n'))
  expect(repo.git('ls-tree', '-r', '--name-only', 'v1.2.3').split('\n')).toEqual([
    '.gitignore',
    'action.yml',
    'dist/action.js',
  ])
  expect(repo.git('status', '--porcelain')).toBe('')
  expect(() => tagWithDist(repo.dir, 'v1.2.3', env)).toThrow('v1.2.3')
  repo.remove()
})
