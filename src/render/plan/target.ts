// The head of every text: for which installation it holds.
import type { TargetIdentity } from '../../core/plan/plan-document.ts'
import { type Line, piece, wrapItems } from '../text/line.ts'
import { code } from '../text/markdown.ts'

export function targetLine(what: string, target: TargetIdentity, width: number): Line[] {
  const head: Line = [piece(`${what} `), piece(target.name, 'strong')]
  const items = describeTarget(target).map((text) => [piece(text, 'faint')])
  return wrapItems([], [head, ...items], width, piece(' · ', 'faint'))
}

/** `https://test.example.com`, `API 6.0`, `databases main = 1, archive = 2`. */
export function describeTarget({ baseUrl, apiVersion, databases }: TargetIdentity): string[] {
  const names = Object.entries(databases).map(([name, id]) => `${name} = ${id}`)
  const list = names.length === 0 ? [] : [`${names.length === 1 ? 'database' : 'databases'} ${names.join(', ')}`]
  return [...(baseUrl === '' ? [] : [baseUrl]), `API ${apiVersion}`, ...list]
}

/** For headings in Markdown, which have no room for more: `test` at `https://test.example.com`. */
export function nameTarget({ name, baseUrl }: Pick<TargetIdentity, 'name' | 'baseUrl'>): string {
  return baseUrl === '' ? code(name) : `${code(name)} at ${code(baseUrl)}`
}
