// Laws of all manifests: formatting changes no meaning, loses and moves no comment, and is idempotent.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findManifestFiles } from '../../src/manifests/find-manifest-files.ts'
import { isParsed, parseYaml } from '../../src/manifests/parse-yaml.ts'
import { TextSource } from '../../src/manifests/text-source.ts'
import { isThorough, sharedOut } from '../harness/thorough.ts'
import { suiteCases } from '../yaml-suite/suite-cases.ts'
import { arbitraryManifest } from './arbitrary-manifest.ts'
import { commentsOf, format, meaningOf, refusalOf } from './format-fixture.ts'

const parses = (text: string) => isParsed(parseYaml(new TextSource('', text)))

/** A comment names its key or entry: `# behind KEY`, `# above KEY`, `# item IDENTITY`. */
function misplacedComments(text: string, sorted: boolean): string[] {
  const lines = text.split(/\r?\n/)
  return lines.filter((line, index) => {
    const [, where, name = ''] = /(?:^|\s)# (above|behind|item) (\S+)/.exec(line) ?? []
    if (where === undefined) return false
    const about =
      where === 'behind'
        ? line.slice(0, line.indexOf('# '))
        : lines.slice(index + 1).find((next) => /^\s*(?:-\s+)*[^\s#-]/.test(next))
    if (where === 'item') return sorted && about?.split(/ # /)[0]?.endsWith(`: ${name}`) === false
    const start = (about ?? '').trim().replace(/^(?:-\s+)*/, '')
    return !(start.startsWith(name) || start.startsWith(`"${name}`))
  })
}

function expectLaws(text: string): void {
  const formatted = format(text)
  expect(format(formatted)).toBe(formatted)
  expect(meaningOf(formatted)).toEqual(meaningOf(text))
  if (formatted !== '') expect(formatted.includes('\r\n')).toBe(text.includes('\r\n'))
}

describe('formatting', () => {
  it('holds its laws on random manifests', () => {
    fc.assert(
      fc.property(arbitraryManifest, (text) => {
        fc.pre(parses(text))
        expect(misplacedComments(text, false)).toEqual([])
        expectLaws(text)
        const formatted = format(text)
        expect(commentsOf(formatted)).toEqual(commentsOf(text))
        expect(misplacedComments(formatted, true)).toEqual([])
      }),
      { numRuns: isThorough ? 400 : 200 },
    )
  })

  it.each(['quickstart', 'organisation'])('holds its laws on the example %s', (name) => {
    const { files } = findManifestFiles(`examples/${name}`, ['manifests'])
    for (const file of files.length > 40 ? sharedOut(files, 0, 3) : files) {
      const text = readFileSync(file, 'utf8')
      expectLaws(text)
      expect(commentsOf(format(text))).toEqual(commentsOf(text))
    }
  })

  it('changes no meaning of anything in the YAML test suite', async () => {
    let formatted = 0
    for (const { id, yaml } of await suiteCases()) {
      if (!parses(yaml) || yaml.includes('\r')) continue
      const refusal = refusalOf(yaml)
      expect(refusal ?? '', id).not.toContain('defect')
      if (refusal !== undefined) continue
      const once = format(yaml)
      expect(format(once), id).toBe(once)
      formatted++
    }
    expect(formatted).toBeGreaterThan(100)
  })
})
