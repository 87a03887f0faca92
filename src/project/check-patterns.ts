// Patterns of `protect` and `prune` that can match nothing: they would protect nobody, without a word.
import { addressMatcher } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { suggestion } from '@svcsync/core/model/near-misses.ts'
import { plainText, type Text } from '@svcsync/core/model/sensitive.ts'
import type { Path } from '@svcsync/core/model/source.ts'
import type { ProjectReader } from './project-reader.ts'

/** `does`: what a glob is for, which matches nothing. */
export function checkGlob(
  reader: ProjectReader,
  glob: Text,
  path: Path,
  does: 'protect' | 'select',
  kinds: readonly Kind[],
): void {
  const segments = [...new Set(kinds.filter(({ scope }) => scope !== 'parent').map(({ segment }) => segment))]
  const plain = plainText(glob)
  const [first = ''] = plain.split('/')
  const isAddress = first.includes('**') || (plain.includes('/') && segments.some(addressMatcher(first, [])))
  if (isAddress) return
  const near = plain.includes('/') ? suggestion(first, segments) : undefined
  const meant = glob === plain ? glob.replace(/^\/+/, '') : 'admins@example.com'
  const hint = near ?? `Write an address like \`group/${meant}\`: the plan shows them.`
  reader.report('SVC1501', `\`${glob}\` matches no address, and would ${does} nothing`, path, hint)
}

export function checkPatterns(
  reader: ProjectReader,
  protect: readonly Text[],
  prune: Readonly<Record<string, readonly Text[]>>,
  kinds: readonly Kind[],
): void {
  for (const [index, glob] of protect.entries()) checkGlob(reader, glob, ['protect', index], 'protect', kinds)
  for (const [key, patterns] of Object.entries(prune)) {
    const segment = kinds.find(({ sections }) => sections[0].key === key)?.segment ?? key
    for (const [index, pattern] of patterns.entries()) {
      const plain = plainText(pattern)
      if (!plain.toLowerCase().startsWith(`${segment}/`)) continue
      const meant = pattern === plain ? `write \`${pattern.slice(segment.length + 1)}\`` : `leave \`${segment}/\` out`
      const hint = `Patterns of \`prune\` are over svcIds: ${meant}.`
      reader.report('SVC1501', `\`${pattern}\` is a pattern over addresses`, ['prune', key, index], hint)
    }
  }
}
