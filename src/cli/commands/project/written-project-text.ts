// The messages of `init` about written files.

import { join, relative } from 'node:path'
import { cwd } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { byCount } from '@svcsync/errors/index.ts'
import { isUnread, readBoundedText } from '@svcsync/files/read-bounded.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { neutralise } from '@svcsync/render/text/neutralise.ts'

export function filesAsText({ written, left }: Readonly<Record<'written' | 'left', readonly string[]>>): string {
  return [
    ...written.map((file) => `written  ${neutralise(file)}`),
    ...left.map((file) => `left     ${neutralise(file)} (it was there already)`),
    `${formatCount(written.length, 'file')} written, ${left.length} left as ${byCount(left.length, 'it was', 'they were')}.`,
  ].join('\n')
}

export function wayInto(dir: string): readonly string[] {
  const way = relative(cwd(), dir)
  return way === '' ? [] : [`  cd ${shellWord(neutralise(way))}`]
}

/** The missing steps of workflows: they run `npm ci`, and `npx` without fetching anything. */
export function wayIntoWorkflows(dir: string): readonly string[] {
  return namesSvcsync(join(dir, 'package.json'))
    ? []
    : ['The pipelines run `npm ci`: they need svcsync in package.json, and a package-lock.json.']
}

function namesSvcsync(file: string): boolean {
  try {
    const text = readBoundedText(file, 16)
    const read: unknown = isUnread(text) ? undefined : JSON.parse(text)
    if (typeof read !== 'object' || read === null) return false
    return ['dependencies', 'devDependencies'].some((key) => {
      const names = (read as Readonly<Record<string, unknown>>)[key]
      return typeof names === 'object' && names !== null && Object.hasOwn(names, 'svcsync')
    })
  } catch {
    return false
  }
}
