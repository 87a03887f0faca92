// Finds the owners of a file, by the CODEOWNERS of a repository.
import { wildcardMatcher } from '@svcsync/core/model/wildcard.ts'

interface Rule {
  matches(path: string): boolean
  readonly owners: readonly string[]
  /** The section, on GitLab: in each, the last rule counts. Empty: outside of any. */
  readonly section: string
}

/** `[Name][2] @owner`, `^[Optional]`: only GitLab has them, and elsewhere no pattern begins so. */
const sectionLine = /^\^?\[([^\]]+)\](?:\[\d+\])?\s*(.*)$/

/** Owners as they are written: `@anna`, `@org/team`, `anna@example.com`. `path`: from the top of the repository. */
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
    rules.push({ matches: matcherOf(pattern.replace(/^!/, '').replaceAll('\\ ', ' ')), owners, section })
  }
  return (path) => {
    const last = new Map<string, readonly string[]>()
    for (const { matches, owners, section: of } of rules) if (matches(path)) last.set(of, owners)
    return [...new Set([...last.values()].flat())]
  }
}

/** Any other word is a role, or a slip: nobody can be asked. */
function ownersIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => /^@[\w.-]+(?:\/[\w./-]+)?$|^[^@\s<>]+@[\w.-]+\.\w+$/.test(word))
}

export const isTeam = (owner: string): boolean => /^@.*\//.test(owner)

/** As in .gitignore, but that `docs/*` is no folder below `docs`. Its time is in proportion to path and pattern. */
function matcherOf(glob: string): (path: string) => boolean {
  const isAnchored = /^\/|\/(?!$)/.test(glob)
  const own = glob.replace(/^\/+|\/+$/g, '')
  const parts = own.split('/')
  const whole = `${isAnchored ? '' : '**/'}${own}${glob.endsWith('/') ? '/**' : ''}`
  const matchers = withoutEmptyRuns(whole).map((pattern) => wildcardMatcher(pattern, true))
  const isFlat = parts.length > 1 && parts.at(-1) === '*' && !parts.includes('**')
  return (path) => matchers.some((matches) => matches(path)) && (!isFlat || path.split('/').length === parts.length)
}

/** Two asterisks with a slash may match no folder, so each of the first three is also left out. */
function withoutEmptyRuns(pattern: string): readonly string[] {
  let all: readonly string[] = ['']
  for (const [index, part] of pattern
    .replace(/(?:\*\*\/)+/g, '**/')
    .split(/(?<=(?:^|\/)\*\*\/)/)
    .entries()) {
    const cut = index < 3 && /(?:^|\/)\*\*\/$/.test(part) ? part.replace(/\*\*\/$/, '') : undefined
    all = all.flatMap((start) => [start + part, ...(cut === undefined ? [] : [start + cut])])
  }
  return all
}
