// Classes the settings of a repository that git may follow: an unknown one could send a token elsewhere.

/** One value of a setting, as `git config --list` tells it. */
interface Setting {
  /** True for the settings of the user or the machine, not of the repository. */
  readonly isUsers: boolean
  /** As git writes it: section and name in small letters, what stands between them as it was written. */
  readonly key: string
  readonly value: string
}

/** They count, but reach no more than the address of the remote does. `*`: anything between section and name. */
const act = [
  // `pushurl` and `pushinsteadof` are left out: a ledger pushed elsewhere than it is read from binds nobody.
  ...['remote.*.url', 'remote.*.fetch', 'url.*.insteadof'],
  // As checkouts of pipelines write them. A file that is included is classed as the repository is.
  ...['http.extraheader', 'http.*.extraheader', 'include.path', 'includeif.*.path'],
  ...['credential.username', 'credential.*.username', 'credential.usehttppath', 'credential.*.usehttppath'],
  // The structure of the repository; `core.worktree`: see worktreeElsewhere.
  ...['core.repositoryformatversion', 'core.bare', 'core.worktree', 'extensions.worktreeconfig'],
  ...['extensions.objectformat', 'extensions.compatobjectformat', 'extensions.refstorage', 'extensions.partialclone'],
  ...['extensions.relativeworktrees', 'extensions.preciousobjects', 'extensions.noop', 'extensions.noop-v1'],
]

/** Our commands follow only their sizes, times and words, or override them (run-git.ts, remote.ts). */
const harmless = [
  ...['remote.pushdefault', 'remote.*.tagopt', 'remote.*.prune', 'remote.*.prunetags', 'remote.*.push'],
  ...['remote.*.promisor', 'remote.*.partialclonefilter', 'remote.*.skipdefaultupdate', 'remote.*.skipfetchall'],
  ...['remote.*.followremotehead', 'remote.*.lfsurl', 'remote.*.lfspushurl', 'remote.*.gh-resolved'],
  ...['remote.*.annex-uuid', 'remote.*.annex-ignore', 'credential.interactive'],
  ...['http.postbuffer', 'http.lowspeedlimit', 'http.lowspeedtime', 'http.version', 'http.maxrequests'],
  ...['http.*.postbuffer', 'http.*.lowspeedlimit', 'http.*.lowspeedtime', 'http.*.version', 'http.*.maxrequests'],
  ...['fetch.recursesubmodules', 'fetch.prune', 'fetch.prunetags', 'fetch.parallel', 'fetch.output', 'fetch.all'],
  ...['fetch.fsckobjects', 'fetch.unpacklimit', 'fetch.writecommitgraph', 'fetch.showforcedupdates'],
  ...['fetch.negotiationalgorithm', 'push.default', 'push.autosetupremote', 'push.followtags', 'push.gpgsign'],
  ...['push.recursesubmodules', 'push.negotiate', 'push.useforceifincludes', 'push.usebitmaps'],
  ...['transfer.fsckobjects', 'transfer.hiderefs', 'transfer.unpacklimit', 'transfer.credentialsinurl'],
  // Only a clone asks for bundles by it.
  'transfer.bundleuri',
  ...['gpg.format', 'gpg.mintrustlevel', 'gpg.*.allowedsignersfile', 'gpg.*.revocationfile', 'attr.tree'],
  ...['core.fsmonitor', 'core.fsmonitorhookversion', 'core.hookspath', 'core.pager', 'core.editor', 'core.whitespace'],
  ...['core.commentchar', 'core.commentstring', 'core.quotepath', 'core.abbrev', 'core.autocrlf', 'core.eol'],
  ...['core.safecrlf', 'core.checkroundtripencoding', 'core.symlinks', 'core.ignorecase', 'core.precomposeunicode'],
  ...['core.filemode', 'core.trustctime', 'core.checkstat', 'core.ignorestat', 'core.protecthfs', 'core.protectntfs'],
  ...['core.logallrefupdates', 'core.sharedrepository', 'core.compression', 'core.loosecompression', 'core.notesref'],
  ...['core.packedgitlimit', 'core.packedgitwindowsize', 'core.deltabasecachelimit', 'core.bigfilethreshold'],
  ...['core.excludesfile', 'core.attributesfile', 'core.sparsecheckout', 'core.sparsecheckoutcone', 'core.splitindex'],
  ...['core.untrackedcache', 'core.preloadindex', 'core.longpaths', 'core.fscache', 'core.hidedotfiles'],
  ...['core.commitgraph', 'core.multipackindex', 'core.fsync', 'core.fsyncmethod', 'core.fsyncobjectfiles'],
  ...['core.createobject', 'core.maxtreedepth', 'core.usereplacerefs', 'core.warnambiguousrefs', 'core.unsetenvvars'],
]

/** Whole sections of the same sort, of git and of tools that write into `.git/config`. */
const harmlessSections = [
  ...['add', 'advice', 'am', 'apply', 'author', 'bisect', 'blame', 'branch', 'browser', 'checkout', 'clean', 'clone'],
  ...['color', 'column', 'commit', 'commitgraph', 'committer', 'completion', 'diff', 'difftool', 'feature', 'filter'],
  ...['format', 'fsck', 'gc', 'grep', 'gui', 'guitool', 'help', 'i18n', 'index', 'init', 'instaweb', 'interactive'],
  ...['lfs', 'log', 'mailinfo', 'mailmap', 'maintenance', 'man', 'merge', 'mergetool', 'notes', 'pack', 'pager'],
  // GIT_ALLOW_PROTOCOL takes the place of `protocol`; `safe` counts from nobody's repository.
  ...['pretty', 'protocol', 'pull', 'rebase', 'receive', 'repack', 'rerere', 'safe', 'sendemail', 'sequence'],
  ...['showbranch', 'sparse', 'stash', 'status', 'submodule', 'svn', 'svn-remote', 'tag', 'tar', 'trailer'],
  ...['uploadarchive', 'uploadpack', 'user', 'versionsort', 'web', 'worktree', 'annex', 'branchless', 'git-p4'],
  ...['git-town', 'gitbutler', 'gitflow', 'github', 'gitlab', 'hub', 'machete', 'magit', 'secrets'],
]

const acceptedKeys: ReadonlySet<string> = new Set([...act, ...harmless])
const acceptedSections: ReadonlySet<string> = new Set(harmlessSections)

/** Git runs some commands by their names, and takes an alias where there is no such program. */
const ranByGit = /^alias\.(?:remote|credential|http|gvfs)-/

/** Variables by which the user says the same, or a pipeline tells it. */
const variables: Readonly<Record<string, readonly string[]>> = {
  'core.askpass': ['GIT_ASKPASS'],
  'core.gitproxy': ['GIT_PROXY_COMMAND'],
  'core.sshcommand': ['GIT_SSH_COMMAND'],
  'http.proxy': ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'],
  'http.sslcainfo': ['GIT_SSL_CAINFO', 'CI_SERVER_TLS_CA_FILE'],
  'http.sslcapath': ['GIT_SSL_CAPATH'],
  'http.sslcert': ['GIT_SSL_CERT', 'CI_SERVER_TLS_CERT_FILE'],
  'http.sslkey': ['GIT_SSL_KEY', 'CI_SERVER_TLS_KEY_FILE'],
  'http.useragent': ['GIT_HTTP_USER_AGENT'],
  'ssh.variant': ['GIT_SSH_VARIANT'],
}

interface RefusedSetting {
  /** The key without parts that may hold a password. */
  readonly key: string
  /** By what whoever runs svcsync says the same; empty: that is nobody's business but the repository's. */
  readonly instead: readonly string[]
}

/** Settings of the repository that git must not follow, each once. One that the user has too is the user's. */
export function refusedSettings(
  settings: readonly Setting[],
  remote: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly RefusedSetting[] {
  const valuesOf = (key: string, isUsers: boolean): readonly string[] =>
    settings.filter((each) => each.key === key && each.isUsers === isUsers).map(({ value }) => value)
  const unfit = settings.filter(
    (each) => !each.isUsers && (!isAccepted(each.key) || leadsElsewhere(each, remote)) && !isOfOther(each.key, remote),
  )
  return [...new Set(unfit.map(({ key }) => key))].sort().flatMap((key) => {
    const [own, users] = [valuesOf(key, false), valuesOf(key, true)]
    const named = variables[generalKey(key).replace('.*.', '.')] ?? []
    // The last ones are those that count.
    const isUsers = `${own.map(quoted)}` === `${users.slice(-own.length).map(quoted)}`
    if (isUsers || named.some((name) => own.every((value) => value === env[name]))) return []
    const shown = shownKey(key)
    return {
      key: shown,
      instead: isAccepted(key) ? [] : [...named.slice(0, 1), `\`git config --global ${shown} …\``],
    }
  })
}

const quoted = (value: string): string => JSON.stringify(value)

function isAccepted(key: string): boolean {
  if (key.startsWith('alias.')) return !ranByGit.test(key)
  return acceptedKeys.has(generalKey(key)) || acceptedSections.has(key.slice(0, key.indexOf('.')))
}

const isOfOther = (key: string, remote: string): boolean =>
  /^remote\..*\.pushurl$/s.test(key) && key !== `remote.${remote}.pushurl`

/** With `*` for what stands between section and name. */
const generalKey = (key: string): string => key.replace(/^([^.]*)\.(.*)\.([^.]*)$/s, '$1.*.$3')

/** The middle may be an address, with a password. */
const shownKey = (key: string): string => (/^[\w./:-]+$/.test(key) ? key : generalKey(key))

/** Git would write the pushed refs to others of this repository, or keep all refs in another folder. */
function leadsElsewhere({ key, value }: Setting, remote: string): boolean {
  if (key === 'extensions.refstorage') return /[^a-z]/.test(value)
  if (key !== `remote.${remote}.fetch`) return false
  const [from = '', to] = value.replace(/^\+/, '').split(':')
  const [before = ''] = from.split('*')
  const isOfLedger = before.startsWith(ledgerRefs) || (from.includes('*') ? ledgerRefs.startsWith(before) : false)
  return isOfLedger && to !== undefined && to !== from
}

const ledgerRefs = 'refs/svcsync/'
