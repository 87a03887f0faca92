// Signatures of the ledger, by git itself. The user's configuration counts: the repository's came with it.
import { isAbsolute } from 'node:path'
import { OperatorError } from '@svcsync/errors/index.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { runGit, runRemoteGit } from '@svcsync/git/run-git.ts'
import type { Remote } from './remote.ts'

const trust = 'gpg.mintrustlevel'
/** For a setting that the repository makes and its user does not: what git takes. */
const defaults: Readonly<Record<string, string>> = {
  'gpg.format': 'openpgp',
  [trust]: 'marginal',
  'gpg.program': 'gpg',
  'gpg.openpgp.program': 'gpg',
  'gpg.x509.program': 'gpgsm',
  'gpg.ssh.program': 'ssh-keygen',
}
const ofUsers: ReadonlySet<string> = new Set(['system', 'global', 'command'])
const settings = '^(gpg\\..*|user\\.signingkey)$'
/** Milliseconds: an agent may ask a key on a device. */
const timeoutMs = 60_000

/** Rejects with an OperatorError if one has no signature that the user's git trusts, nor an allowance. */
export async function refuseUnsigned(
  remote: Remote,
  entries: readonly { readonly ref: string; readonly entry: string | undefined }[],
): Promise<void> {
  const { signed } = remote
  if (signed === undefined) return
  const asked = entries.filter(({ entry }) => entry !== undefined && !signed.allowed.includes(entry))
  const unsigned: typeof asked = []
  for (const each of asked) {
    const { status } = await runAsUser(remote, ['verify-commit', each.entry ?? ''])
    if (status !== 0) unsigned.push(each)
  }
  const [first] = unsigned
  if (first === undefined) return
  const options = unsigned.map(({ entry }) => `--allow unsigned=${entry}`).join(' ')
  const way = entries.some(({ ref }) => ref.startsWith('refs/svcsync/journal/'))
    ? `\`git push ${remote.name} :${first.ref}\` removes the journal.`
    : `If svcsync wrote it before the project required signatures, run once with \`${options}\`.`
  throw new OperatorError(
    'SVC2245',
    'The ledger requires signatures, but your git trusts none on ' +
      `${unsigned.map(({ ref }) => ref).join(' and ')} of the remote \`${remote.name}\``,
    {
      hint:
        `\`git verify-commit ${first.entry?.slice(0, 12)}\` shows the reason; ` +
        'keys and allowed signers come from your own git settings (git config --global), ' +
        `and an OpenPGP key counts if you trust it at least marginally (\`gpg.minTrustLevel\`). ${way}`,
    },
  )
}

/** The same commit, signed where the project asks for that. Rejects with an OperatorError where git cannot sign it. */
export async function signEntry(remote: Remote, entry: string): Promise<string> {
  if (remote.signed === undefined) return entry
  const text = runGit(remote.dir, ['cat-file', 'commit', entry]).stdout.toString()
  const end = text.indexOf('\n\n')
  const parents = [...text.slice(0, end).matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, each]) => ['-p', each ?? ''])
  const { status, stdout } = await runAsUser(
    remote,
    ['commit-tree', '-S', `${entry}^{tree}`, ...parents, '-m', text.slice(end + 2)],
    ['author', 'committer'].flatMap((who) => [`${who}.name=svcsync`, `${who}.email=svcsync@svcsync.invalid`]),
  )
  if (status === 0) return stdout.toString().trim()
  throw new OperatorError('SVC2246', 'The ledger requires signatures, but git cannot sign here', {
    hint:
      'Set `user.signingKey`, and `gpg.format` for an ssh key, in your own git settings (git config --global), ' +
      'not in those of the repository. Run `git commit-tree -S "HEAD^{tree}" -m test` there to test it.',
  })
}

async function runAsUser({ dir, signal }: Remote, args: readonly string[], more: readonly string[] = []) {
  const own = await overrides(dir, signal)
  const given = [...own, 'i18n.commitEncoding=UTF-8', ...more].flatMap((each) => ['-c', each])
  return runRemoteGit(dir, [...given, ...args], { timeoutMs, signal })
}

/** The user's settings instead of the repository's, for signatures. */
async function overrides(dir: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const list = ['config', '--includes', '--show-scope', '--null', '--get-regexp', settings]
  const { stdout } = await runRemoteGit(dir, list, { timeoutMs, signal })
  const words = stdout.toString().split('\0')
  const users = new Map<string, string>()
  // Git itself takes any key for good that was ever imported, trusted or not.
  const others = new Set<string>([trust])
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [name = '', ...value] = (words[at + 1] ?? '').split('\n')
    if (!ofUsers.has(words[at] ?? '')) others.add(name)
    else users.set(name, value.join('\n'))
  }
  const signers = 'gpg.ssh.allowedsignersfile'
  // From where git runs: a file of the repository.
  if (!isOutside(dir, users.get(signers) ?? '')) others.add(signers)
  return [...others].map((name) => {
    const value = name === signers && !isOutside(dir, users.get(name) ?? '') ? '' : users.get(name)
    return `${name}=${value ?? defaults[name] ?? ''}`
  })
}

const isOutside = (dir: string, path: string): boolean =>
  path.startsWith('~') || (isAbsolute(path) && !liesWithin(dir, path))
