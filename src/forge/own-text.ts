// The part of an item's text that is svcsync's, between two hidden lines. All around it is people's.
import { isJsonObject, type Json, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'

const end = '<!-- svcsync:end -->'

/** Forges refuse more than 65,536 characters. */
const longest = 65_000
/** With less room, nothing of use could be said. */
const shortest = 1500

export function markerOf(what: 'drift' | 'accept', target: string): string {
  return `<!-- svcsync:${what}:${target.replace(/[^\w.]/g, encodeURIComponent)} -->`
}

/** A text without the marker is replaced as a whole: what of it is ours, nobody can tell. */
export function partsOf(body: string, marker: string) {
  const text = body.replaceAll('\r\n', '\n')
  const from = text.indexOf(marker)
  if (from < 0) return { before: '', own: '', after: '' }
  const to = text.indexOf(end, from)
  const own = text.slice(from, to < 0 ? undefined : to).split('\n')
  const shown = own.filter((line) => !line.startsWith('<!-- svcsync:')).join('\n')
  return { before: text.slice(0, from), own: shown, after: to < 0 ? '' : text.slice(to + end.length).trimEnd() }
}

/** `body`: the text so far. `most`: characters of all of it, where the forge takes less than others. */
export function replaceOwnPart(
  body: string,
  marker: string,
  memory: { readonly [key: string]: Json | undefined },
  { render, most = longest }: { readonly render: (maxLength: number) => string; readonly most?: number | undefined },
): string {
  const { before, after } = partsOf(body, marker)
  const head = [marker, memoryLine(memory), '']
  const room = Math.min(most, longest) - before.length - after.length - head.join('\n').length - end.length - 4
  return `${before}${[...head, render(Math.max(shortest, room)).trim(), '', end].join('\n')}${after}`
}

/** Nothing in it ends the comment. */
export function memoryLine(memory: { readonly [key: string]: Json | undefined }): string {
  const text = JSON.stringify(memory).replace(/--|[<>]/g, (part) =>
    [...part].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(''),
  )
  return `<!-- svcsync:memory ${text} -->`
}

/** Anybody may have edited it: whoever reads it takes what is not as svcsync writes it for forgotten. */
export function memoryIn(body: string, marker: string): JsonObject | undefined {
  const from = body.indexOf(marker)
  const [, text = ''] = /<!-- svcsync:memory (.*) -->/.exec(body.slice(Math.max(0, from))) ?? []
  const data = parseJson(text)
  return isJsonObject(data) ? data : undefined
}

/** The scope of a run. No glob: everything. */
export interface Selection {
  readonly only: readonly string[]
  /** True if the access of undeclared objects is included. */
  readonly access: boolean
}

export function selectionIn({ only, access }: JsonObject): Selection {
  return {
    only: Array.isArray(only) ? only.filter((each) => typeof each === 'string') : [],
    access: access === true,
  }
}

/** Why a run says nothing of an item: a part of a sentence. Undefined: it covered all that the item is about. */
export function uncoveredScope(run: Selection, item: Selection): string | undefined {
  const isSame = JSON.stringify([...run.only].sort()) === JSON.stringify([...item.only].sort())
  if ((run.only.length === 0 || isSame) && (run.access || !item.access)) return undefined
  return `it is about ${formatSelection(item)}, and this run read ${formatSelection(run)}`
}

export function formatSelection({ only, access }: Selection): string {
  const what = only.length === 0 ? 'everything that is declared' : only.map((glob) => `\`${glob}\``).join(', ')
  return access ? `${what} and all access` : what
}
