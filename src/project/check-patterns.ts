// Patterns of `protect` and `prune` that can match nothing: they would protect nobody, without a word.
import { addressMatcher } from '../core/address.ts'
import type { Kind } from '../core/kind.ts'
import { suggestion } from '../core/near-misses.ts'
import type { ProjectReader } from './project-reader.ts'

export function checkPatterns(
  reader: ProjectReader,
  protect: readonly string[],
  prune: Readonly<Record<string, readonly string[]>>,
  kinds: readonly Kind[],
): void {
  const segments = [...new Set(kinds.filter(({ scope }) => scope !== 'parent').map(({ segment }) => segment))]
  for (const [index, glob] of protect.entries()) {
    const [first = ''] = glob.split('/')
    const isAddress = first.includes('**') || (glob.includes('/') && segments.some(addressMatcher(first)))
    if (isAddress) continue
    const near = glob.includes('/') ? suggestion(first, segments) : undefined
    const hint = near ?? `Write an address like \`group/${glob.replace(/^\/+/, '')}\`: the plan shows them.`
    reader.report('SVC1501', `\`${glob}\` matches no address, and would protect nothing`, ['protect', index], hint)
  }
  for (const [key, patterns] of Object.entries(prune)) {
    const segment = kinds.find(({ sections }) => sections[0].key === key)?.segment ?? key
    for (const [index, pattern] of patterns.entries()) {
      if (!pattern.toLowerCase().startsWith(`${segment}/`)) continue
      const hint = `Patterns of \`prune\` are over svcIds: write \`${pattern.slice(segment.length + 1)}\`.`
      reader.report('SVC1501', `\`${pattern}\` is a pattern over addresses`, ['prune', key, index], hint)
    }
  }
}
