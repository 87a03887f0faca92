// Who owns a file, by the CODEOWNERS of a repository.

interface Rule {
  readonly pattern: RegExp
  readonly owners: readonly string[]
  /** Of GitLab: in each, the last rule counts. Empty: outside of any. */
  readonly section: string
}

/** `[Name][2] @owner`, `^[Optional]`: only GitLab has them, and elsewhere no pattern begins so. */
const sectionLine = /^\^?\[([^\]]+)\](?:\[\d+\])?\s*(.*)$/

/** Owners of a file, as they are written: `@anna`, `@org/team`, `anna@example.com`. `path`: from the top of the repository, with `/`. */
export function codeOwners(text: string): (path: string) => readonly string[] {
  const rules: Rule[] = []
  let section = ''
  let inherited: readonly string[] = []
  for (const line of text.split(/\r?\n/)) {
    const own = line.replace(/(^|\s)#.*$/, '').trim()
    if (own === '') continue
    const [, name, rest = ''] = sectionLine.exec(own) ?? []
    if (name !== undefined) {
      section = name.toLowerCase()
      inherited = ownersIn(rest.split(/\s+/))
      continue
    }
    const [pattern = '', ...words] = own.split(/(?<!\\)\s+/)
    const named = ownersIn(words)
    const owners = pattern.startsWith('!') ? [] : named.length > 0 ? named : inherited
    rules.push({ pattern: patternOf(pattern.replace(/^!/, '').replaceAll('\\ ', ' ')), owners, section })
  }
  return (path) => {
    const last = new Map<string, readonly string[]>()
    for (const { pattern, owners, section: of } of rules) if (pattern.test(path)) last.set(of, owners)
    return [...new Set([...last.values()].flat())]
  }
}

/** What is none of these is a role, or a slip: it is nobody who can be asked. */
function ownersIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => /^@[\w.-]+(?:\/[\w./-]+)?$|^[^@\s<>]+@[\w.-]+\.\w+$/.test(word))
}

export const isTeam = (owner: string): boolean => /^@.*\//.test(owner)

/** As in .gitignore, but that `docs/*` is no folder below `docs`. */
function patternOf(glob: string): RegExp {
  const isAnchored = /^\/|\/(?!$)/.test(glob)
  const parts = glob.replace(/^\/+|\/+$/g, '').split('/')
  const source = parts
    .map((part, index) => {
      const isLast = index === parts.length - 1
      if (part === '**') return isLast ? '.*' : '(?:.*/)?'
      const own = part
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '[^/]*')
        .replaceAll('?', '[^/]')
      return isLast ? own : `${own}/`
    })
    .join('')
  const below = glob.endsWith('/') ? '/.*' : parts.at(-1) === '*' && parts.length > 1 ? '' : '(?:/.*)?'
  return new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}${below}$`)
}
