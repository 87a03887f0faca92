// What `init` says of the files that it wrote.
import { relative } from 'node:path'
import { cwd } from 'node:process'
import { neutralise } from '../render/neutralise.ts'
import type { WrittenProject } from '../scaffold/index.ts'

export function filesAsText({ written, left }: WrittenProject): string {
  return [
    ...written.map((file) => `written  ${neutralise(file)}`),
    ...left.map((file) => `left     ${neutralise(file)} (it was there already)`),
    `${written.length} files written, ${left.length} left as they were.`,
  ].join('\n')
}

/** The command that leads into the folder, where that is not this one. */
export function wayInto(dir: string): readonly string[] {
  const way = relative(cwd(), dir)
  return way === '' ? [] : [`  cd ${quoted(neutralise(way))}`]
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
