// Signatures of the ledger with real ssh keys: which count, made and verified with the settings of who runs svcsync.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { keepRun, readHistories, readHistory } from '../../src/ledger/history-ref.ts'
import { emptyTree, readEntry, writeCommit } from '../../src/ledger/ledger-commit.ts'
import { openRemote, type Remote } from '../../src/ledger/remote.ts'
import { refuseUnsigned, signEntry } from '../../src/ledger/signatures.ts'
import { type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { openRepository, type Repository } from '../harness/repository.ts'

let lab: GitRemote
let own: Repository
let remote: Remote
let keys: string
let entry: string
let config: Buffer
const before = process.env.GIT_CONFIG_GLOBAL
/** Acts with the settings of a person, who trusts the signers that the file lists. */
const actAs = (who: string, signers = join(keys, `${who}.signers`)): void => {
  const settings =
    `[gpg]\nformat = ssh\n[gpg "ssh"]\nallowedSignersFile = ${signers}\n` +
    `[user]\nsigningKey = ${join(keys, `${who}.pub`)}\n`
  writeFileSync(join(keys, 'gitconfig'), settings)
  process.env.GIT_CONFIG_GLOBAL = join(keys, 'gitconfig')
}
beforeAll(() => {
  lab = openGitRemote()
  own = openRepository()
  own.write('svcsync.yaml', '')
  own.commit()
  own.git('remote', 'add', 'origin', lab.path)
  config = readFileSync(join(own.dir, '.git/config'))
  const opened = openRemote(join(own.dir, 'svcsync.yaml'), 'origin')
  remote = { ...opened, signed: { allowed: [] } }
  keys = mkdtempSync(join(tmpdir(), 'svcsync-keys-'))
  for (const who of ['anna', 'eve']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', who, '-f', join(keys, who)])
    const line = `svcsync@svcsync.invalid ${readFileSync(join(keys, `${who}.pub`), 'utf8')}`
    writeFileSync(join(keys, `${who}.signers`), line)
  }
  entry = writeCommit(own.dir, emptyTree(own.dir), [own.git('rev-parse', 'HEAD')], 0, 'An entry', { Target: 'ä' }) ?? ''
})
beforeEach(() => actAs('anna'))
afterEach(() => writeFileSync(join(own.dir, '.git/config'), config))
afterAll(() => {
  if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL
  else process.env.GIT_CONFIG_GLOBAL = before
  own.remove()
  lab.close()
  rmSync(keys, { recursive: true })
})
const ref = 'refs/svcsync/applied/prod'
const refused = (id: string, of = remote) =>
  refuseUnsigned(of, [{ ref, entry: id }]).then(
    () => undefined,
    ({ message, hint }: Error & { hint: string }) => ({ message, hint }),
  )

it('an entry that is signed says the same, and counts for whoever trusts its signer', async () => {
  const id = await signEntry(remote, entry)
  const { id: _, ...said } = readEntry(own.dir, entry)
  expect(readEntry(own.dir, id)).toEqual({ id, ...said })
  const log = (of: string) => own.git('log', '-1', '--format=%B%an %ae %cn %ce', of)
  expect(log(id)).toBe(log(entry))
  expect(await refused(id)).toBeUndefined()
  actAs('eve')
  expect((await refused(id))?.message).toMatch(/^The ledger requires signatures, but your git trusts none on refs/)
})

it('an entry that is not signed is refused by its name, unless it is allowed, or nobody asks', async () => {
  const found = await refused(entry)
  expect(found?.message).toBe(
    `The ledger requires signatures, but your git trusts none on ${ref} of the remote \`origin\``,
  )
  expect(found?.hint).toContain(`\`git verify-commit ${entry.slice(0, 12)}\` shows`)
  expect(found?.hint).toContain(`run once with \`--allow unsigned=${entry}\``)
  expect(await refused(entry, { ...remote, signed: { allowed: [entry] } })).toBeUndefined()
  expect(await refused(entry, { ...remote, signed: undefined })).toBeUndefined()
  expect(await signEntry({ ...remote, signed: undefined }, entry)).toBe(entry)
  await refuseUnsigned(remote, [{ ref, entry: undefined }])
  const both = [
    { ref, entry },
    { ref: 'refs/svcsync/lease/prod', entry },
  ]
  await expect(refuseUnsigned(remote, both)).rejects.toMatchObject({
    message: expect.stringContaining(`none on ${ref} and refs/svcsync/lease/prod of`),
    hint: expect.stringContaining(`--allow unsigned=${entry} --allow unsigned=${entry}`),
  })
})

it('programs, keys, formats and signers of the repository do not count', async () => {
  const ran = join(keys, 'ran')
  const program = join(keys, 'program')
  writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  own.git('config', 'gpg.ssh.program', program)
  own.git('config', 'gpg.format', 'openpgp')
  own.git('config', 'user.signingkey', join(keys, 'eve.pub'))
  own.git('config', 'gpg.ssh.allowedsignersfile', join(keys, 'eve.signers'))
  const id = await signEntry(remote, entry)
  expect(await refused(id)).toBeUndefined()
  expect(() => readFileSync(ran)).toThrow()
  actAs('eve', join(keys, 'none'))
  expect(await refused(await signEntry(remote, entry))).toBeDefined()
})

it('signers in a file of the repository do not count, whoever names it', async () => {
  const id = await signEntry(remote, entry)
  mkdirSync(join(own.dir, 'trust'), { recursive: true })
  writeFileSync(join(own.dir, 'trust/signers'), readFileSync(join(keys, 'anna.signers')))
  for (const inside of [join(own.dir, 'trust/signers'), 'trust/signers', '../trust/signers']) {
    actAs('anna', inside)
    expect(await refused(id), inside).toBeDefined()
  }
})

it('an OpenPGP key counts as far as the user trusts it, whatever the repository asks for', async () => {
  const program = join(keys, 'gpg')
  const trusted = (trust: string): void => {
    const answer = `[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 0123456789ABCDEF anna\n[GNUPG:] TRUST_${trust} 0 pgp`
    const signature = '-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----'
    const sign = `echo "${signature}"; echo "\n[GNUPG:] SIG_CREATED D" >&2`
    const script = `#!/bin/sh\ncat > /dev/null\ncase "$*" in\n*--verify*) echo "${answer}" ;;\n*) ${sign} ;;\nesac\n`
    writeFileSync(program, script, { mode: 0o755 })
  }
  const settings = `[gpg]\nprogram = ${program}\n[user]\nsigningKey = anna\n`
  writeFileSync(join(keys, 'gitconfig'), settings)
  trusted('UNDEFINED')
  const id = await signEntry(remote, entry)
  expect(await refused(id)).toBeDefined()
  own.git('config', 'gpg.minTrustLevel', 'undefined')
  expect(await refused(id)).toBeDefined()
  trusted('MARGINAL')
  expect(await refused(id)).toBeUndefined()
  writeFileSync(join(keys, 'gitconfig'), `${settings}[gpg]\nminTrustLevel = ultimate\n`)
  expect(await refused(id)).toBeDefined()
})

it('whoever cannot sign hears what to set', async () => {
  actAs('nobody')
  await expect(signEntry(remote, entry)).rejects.toMatchObject({
    code: 'SVC2246',
    message: 'The ledger requires signatures, but git cannot sign here',
    hint: expect.stringContaining('Set `user.signingKey`'),
  })
})

it('a history that is not signed counts as if it were not there, and is replaced by a signed one', async () => {
  const run = {
    at: '2026-01-01T00:00:00.000Z',
    command: 'drift',
    only: [],
    isComplete: true,
    severity: 'none',
  } as const
  const more = { verdict: 'no drift', counts: { differences: 0 }, elapsedMs: 1, requests: 1, days: {} }
  const unsigned = { ...remote, signed: undefined }
  await keepRun(unsigned, 'prod', await readHistory(unsigned, 'prod'), { ...run, ...more })
  const [other, kept] = await readHistories(remote, ['other', 'prod'])
  expect([other, kept?.runs, kept?.flaw]).toEqual([
    { entry: undefined, runs: [] },
    [],
    'refs/svcsync/history/prod has no signature that your git trusts',
  ])
  const later = { ...run, ...more, at: '2026-01-02T00:00:00.000Z' }
  expect(await keepRun(remote, 'prod', kept as never, later)).toEqual([later])
  expect(await readHistory(remote, 'prod')).toEqual({ entry: expect.any(String), runs: [later] })
})
