// A repository with a remote, and commits in one line with another one beside it.
import { join } from 'node:path'
import { openRemote } from '../../src/ledger/remote.ts'
import { openGitRemote } from '../harness/git-remote.ts'
import { openRepository } from '../harness/repository.ts'

export type History = ReturnType<typeof openHistory>

/** `files`: texts of the first commit, beside an empty project. `beside` comes after the first, as `second` does. */
export function openHistory(files: Readonly<Record<string, string>> = {}) {
  const lab = openGitRemote()
  const own = openRepository()
  for (const [path, text] of Object.entries({ 'svcsync.yaml': '', ...files })) own.write(path, text)
  const [first, second, third] = [own.commit('1'), own.commit('2'), own.commit('3')]
  const beside = own.git('commit-tree', `${first}^{tree}`, '-p', first, '-m', 'beside')
  own.git('remote', 'add', 'origin', lab.path)
  own.git('push', '--quiet', 'origin', 'main')
  const close = (): void => {
    own.remove()
    lab.close()
  }
  return { lab, own, remote: openRemote(join(own.dir, 'svcsync.yaml'), 'origin'), first, second, third, beside, close }
}
