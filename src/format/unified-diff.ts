// The difference of two texts of a file, for people: what must not be shown is not in it.

import { hiddenSpans } from '@svcsync/manifests/credentials.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { createTwoFilesPatch } from 'diff'

/** A limit on work and not on time: equal input gives equal output on every machine. */
const maxEditLength = 20_000
const mask = '***'

/** `before`: as it was loaded, so that it knows what must not be shown. Ends with a line break. */
export function unifiedDiff(file: string, before: TextSource, after: string): string {
  const old = withLineFeeds(before.text)
  const names = [`a/${file}`, `b/${file}`] as const
  const options = {
    context: 3,
    maxEditLength,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  }
  const patch = createTwoFilesPatch(...names, old, withLineFeeds(after), undefined, undefined, options)
  return patch === undefined
    ? `--- ${names[0]}\n+++ ${names[1]}\n(too much differs to be shown)\n`
    : masked(patch, before)
}

/** Lines are moved whole, so text hidden in the old version is hidden in the new one. */
function masked(patch: string, source: TextSource): string {
  const secrets = new Set<string>()
  for (let line = 1; line <= source.lineCount; line++) {
    for (const { start, end } of hiddenSpans(source, line)) {
      const text = source.text.slice(start, end).trim()
      if (text !== '') secrets.add(text)
    }
  }
  // A long one may hold a short one.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length)
  return longestFirst.reduce((text, secret) => text.replaceAll(secret, mask), patch)
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
