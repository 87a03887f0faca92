// Refs and files of a repository that lead elsewhere: what svcsync fetches and pushes is written to its own refs, or
// nowhere.
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readLeaseNow } from '../../../src/ledger/lease.ts'
import { readLedger } from '../../../src/ledger/ledger.ts'
import { ledgerRefs, writeApplied, writeLease } from '../../../src/ledger/ledger-commit.ts'
import { fetchBranches, fetchRefs, moveRef, openRemote } from '../../../src/ledger/remote.ts'
import { commitAll, type GitRemote, openGitRemote } from '../../harness/git-remote.ts'
import { git } from '../../harness/repository.ts'

const lease = 'refs/svcsync/lease/test'
let remote: GitRemote
let folder: string
let dir: string
let kept: string
let entry: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'svcsync-refs-')))
  ;[dir, kept] = [join(folder, 'clone'), join(folder, 'kept')]
  mkdirSync(dir)
  writeFileSync(join(dir, 'svcsync.yaml'), 'version: 1\n')
  remote = openGitRemote()
  remote.adopt(dir)
  commitAll(dir, 'First')
  const since = '2026-01-01T00:00:00.000Z'
  const free = { holder: 'anna', where: '', since, until: undefined, begun: [], after: undefined }
  entry = writeLease(dir, free, 'test', 0) ?? ''
  git(dir, 'push', '--quiet', 'origin', `${entry}:${lease}`)
  cpSync(dir, kept, { recursive: true, verbatimSymlinks: true })
})
afterAll(() => {
  remote.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  rmSync(dir, { recursive: true })
  cpSync(kept, dir, { recursive: true, verbatimSymlinks: true })
  rmSync(join(folder, 'theirs'), { recursive: true, force: true })
  mkdirSync(join(folder, 'theirs'))
})

const inGit = (path: string): string => join(dir, '.git', path)
const make = (path: string): string => {
  mkdirSync(dirname(inGit(path)), { recursive: true })
  return inGit(path)
}
const theirs = (name: string, text: string): string => {
  writeFileSync(join(folder, 'theirs', name), text)
  return join(folder, 'theirs', name)
}
const open = () => openRemote(join(dir, 'svcsync.yaml'), 'origin')
const settings = () => ({
  remote: open(),
  target: 'test',
  self: { holder: 'anna', where: '' },
  clock: Date.now,
  sleep: async () => undefined,
})

/** Tells if git itself would have changed another ref. */
const fetchPlainly = (): void => {
  try {
    git(dir, '-c', 'core.logAllRefUpdates=always', 'fetch', '--quiet', 'origin', `+${lease}:${lease}`)
  } catch {
    // It looks at it first.
  }
}

interface Case {
  readonly what: string
  make(): void
  /** The state that must not change. */
  look(): unknown
  readonly said: RegExp
  /** The state that git would have changed; false: none. */
  readonly isWritten: boolean
  /** Git refuses it by itself, and svcsync says why. */
  readonly isOfFetches?: true
}

const cases: readonly Case[] = [
  {
    what: 'a symbolic ref to a branch',
    make: () => git(dir, 'symbolic-ref', lease, 'refs/heads/other'),
    look: () => git(dir, 'for-each-ref', '--format=%(refname)', 'refs/heads'),
    said: /it is a symbolic ref here/,
    isWritten: true,
  },
  {
    what: 'a symbolic ref to a branch, beside the folder of another storage',
    make: () => {
      git(dir, 'symbolic-ref', lease, 'refs/heads/other')
      mkdirSync(inGit('reftable'))
    },
    look: () => git(dir, 'for-each-ref', '--format=%(refname)', 'refs/heads'),
    said: /it is a symbolic ref here/,
    isWritten: true,
  },
  {
    what: 'a ref that is a link to that of a branch',
    make: () => symlinkSync('../../heads/other', make(lease)),
    look: () => git(dir, 'for-each-ref', '--format=%(refname)', 'refs/heads'),
    said: /refs\/svcsync\/lease\/test is a link/,
    isWritten: false,
  },
  {
    what: 'a folder of refs that is a link',
    make: () => symlinkSync(join(folder, 'theirs'), make('refs/svcsync')),
    look: () => existsSync(join(folder, 'theirs/lease')),
    said: /refs\/svcsync is a link/,
    isWritten: true,
  },
  {
    what: 'a log that is a link',
    make: () => symlinkSync(theirs('.bashrc', 'mine\n'), make(`logs/${lease}`)),
    look: () => readFileSync(join(folder, 'theirs/.bashrc'), 'utf8'),
    said: /logs\/refs\/svcsync\/lease\/test is a link/,
    isWritten: true,
  },
  {
    what: 'a log that is the same file as another',
    make: () => linkSync(theirs('.bashrc', 'mine\n'), make(`logs/${lease}`)),
    look: () => readFileSync(join(folder, 'theirs/.bashrc'), 'utf8'),
    said: /logs\/refs\/svcsync\/lease\/test is a link/,
    isWritten: true,
  },
  {
    what: 'the folder of all logs that is a link',
    make: () => {
      rmSync(inGit('logs'), { recursive: true })
      symlinkSync(join(folder, 'theirs'), inGit('logs'))
    },
    look: () => existsSync(join(folder, 'theirs/refs/svcsync')),
    said: /logs is a link/,
    isWritten: true,
  },
  {
    what: 'a folder of logs that is a link',
    make: () => symlinkSync(join(folder, 'theirs'), make('logs/refs/svcsync')),
    look: () => existsSync(join(folder, 'theirs/lease')),
    said: /logs\/refs\/svcsync is a link/,
    isWritten: true,
  },
  {
    what: 'the log of a HEAD that stands for it',
    make: () => {
      git(dir, 'symbolic-ref', 'HEAD', lease)
      rmSync(make('logs/HEAD'))
      symlinkSync(theirs('.bashrc', 'mine\n'), make('logs/HEAD'))
    },
    look: () => readFileSync(join(folder, 'theirs/.bashrc'), 'utf8'),
    said: /it is checked out/,
    isWritten: true,
  },
  {
    what: 'the log of a HEAD that stands for it by another ref',
    make: () => {
      git(dir, 'symbolic-ref', 'refs/heads/alias', lease)
      git(dir, 'symbolic-ref', 'HEAD', 'refs/heads/alias')
      rmSync(make('logs/HEAD'))
      symlinkSync(theirs('.bashrc', 'mine\n'), make('logs/HEAD'))
    },
    look: () => readFileSync(join(folder, 'theirs/.bashrc'), 'utf8'),
    said: /it is checked out/,
    isWritten: false,
  },
  {
    what: 'packed refs that are a link',
    make: () => symlinkSync(theirs('packed', '# pack-refs with: peeled fully-peeled sorted \n'), make('packed-refs')),
    look: () => readFileSync(join(folder, 'theirs/packed'), 'utf8'),
    said: /packed-refs is a link/,
    isWritten: false,
  },
  {
    what: 'the list of shallow commits that is a link',
    make: () => symlinkSync(theirs('empty', ''), make('shallow')),
    look: () => readFileSync(join(folder, 'theirs/empty'), 'utf8'),
    said: /shallow is a link/,
    isWritten: false,
  },
  {
    what: 'a ref in the place of the folder',
    make: () => git(dir, 'update-ref', 'refs/svcsync/lease', 'HEAD'),
    look: () => git(dir, 'rev-parse', 'refs/svcsync/lease'),
    said: /refs\/svcsync\/lease is in the way/,
    isWritten: false,
  },
  {
    what: 'a packed ref in the place of the folder',
    make: () => {
      git(dir, 'update-ref', 'refs/svcsync/lease', 'HEAD')
      git(dir, 'pack-refs', '--all')
    },
    look: () => git(dir, 'rev-parse', 'refs/svcsync/lease'),
    said: /refs\/svcsync\/lease is in the way/,
    isWritten: false,
    isOfFetches: true,
  },
  {
    what: 'a folder of refs in its place',
    make: () => git(dir, 'update-ref', `${lease}/more`, 'HEAD'),
    look: () => git(dir, 'rev-parse', `${lease}/more`),
    said: /refs\/svcsync\/lease\/test\/more is in the way/,
    isWritten: false,
    isOfFetches: true,
  },
]

describe('a ref of the ledger', () => {
  it.each(cases)('is not written through $what', async ({ make: set, look, said, isWritten, isOfFetches }) => {
    set()
    const before = look()
    const refused = { code: 'SVC2243', message: expect.stringMatching(said) }
    const reading = async () => readLeaseNow(settings())
    await expect(reading()).rejects.toMatchObject(refused)
    expect(look()).toEqual(before)
    const moving = async () => moveRef(open(), { ref: lease, from: entry, to: git(dir, 'rev-parse', 'main') })
    if (!isOfFetches) await expect(moving()).rejects.toMatchObject(refused)
    expect([look(), git(remote.path, 'rev-parse', lease)]).toEqual([before, entry])
    fetchPlainly()
    expect(JSON.stringify(look()) !== JSON.stringify(before)).toBe(isWritten)
  })

  it('is fetched where nothing is in its way, also beside a log of its own and an empty folder', async () => {
    mkdirSync(make(`${lease}/left`), { recursive: true })
    writeFileSync(make(`logs/${lease}`), '')
    expect((await fetchRefs(open(), [lease])).there.get(lease)?.id).toBe(entry)
    expect(git(dir, 'rev-parse', lease)).toBe(entry)
    mkdirSync(inGit('reftable'))
    expect((await fetchRefs(open(), [lease])).there.get(lease)?.id).toBe(entry)
  })

  it('of a branch is not fetched through a symbolic ref', async () => {
    git(dir, 'push', '--quiet', 'origin', 'HEAD:refs/heads/kept')
    git(dir, 'symbolic-ref', 'refs/svcsync/remote/kept', 'refs/heads/other')
    await expect(fetchBranches(open(), ['kept'])).rejects.toMatchObject({ code: 'SVC2243' })
    expect(git(dir, 'for-each-ref', 'refs/heads/other')).toBe('')
  })

  it('is fetched where a commit is checked out, as pipelines do', async () => {
    git(dir, 'checkout', '--quiet', '--detach')
    expect((await fetchRefs(open(), [lease])).head?.id).toBe(git(dir, 'rev-parse', 'main'))
    git(dir, 'checkout', '--quiet', '--orphan', 'none')
    expect((await fetchRefs(open(), [lease])).head).toBeUndefined()
  })

  it.each(['tag', 'branch'])('is no %s of its name, which others may push', async (sort) => {
    const [commit, at] = [git(dir, 'rev-parse', 'HEAD'), '2026-01-01T00:00:00.000Z']
    const begun = [{ commit, at, only: [] }]
    const forged = { holder: 'eve', where: '', since: at, until: undefined, begun, after: undefined }
    const about = {
      target: 'other',
      project: '',
      installation: '',
      version: '',
      digest: '',
      lease: '',
      application: '',
    }
    const counts = { done: 0, unchanged: 0 } as never
    const refs = ledgerRefs('other')
    const own = writeLease(dir, forged, 'other', 0) ?? ''
    git(dir, sort, refs.lease, own)
    git(
      dir,
      sort,
      refs.applied,
      writeApplied(dir, { ...about, commit, at, counts, objects: 0, approvedBy: [] }, own) ?? '',
    )
    expect(await readLedger(open(), 'other', 0)).toMatchObject({ applied: undefined, begun: [], loss: undefined })
    // A state that this clone has seen counts, even after the remote lost it.
    git(dir, 'update-ref', refs.lease, own)
    expect(await readLedger(open(), 'other', 0)).toMatchObject({ begun, loss: undefined })
  })

  it('takes no other ref along, whatever the repository maps', async () => {
    git(dir, 'config', 'remote.origin.prune', 'true')
    git(dir, 'config', 'remote.origin.pruneTags', 'true')
    git(dir, 'config', 'remote.origin.tagOpt', '--tags')
    git(dir, 'tag', 'mine')
    git(dir, 'push', '--quiet', 'origin', 'HEAD:refs/tags/theirs', 'HEAD:refs/heads/theirs')
    git(dir, 'update-ref', 'refs/remotes/origin/gone', 'HEAD')
    const before = git(dir, 'for-each-ref').split('\n')
    await fetchRefs(open(), [lease])
    expect(git(dir, 'for-each-ref').split('\n')).toEqual([...before, `${entry} commit\t${lease}`].sort(byName))
  })
})

const byName = (a: string, b: string): number => ((a.split('\t')[1] ?? '') < (b.split('\t')[1] ?? '') ? -1 : 1)
