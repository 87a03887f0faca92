// Words of the interface that svcsync does not know, in manifests: a plan takes those that the installation has shown.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { placeOfField, placesOfElement } from '../model/desired.ts'
import { isKnownWord, shownBy, wordsAt } from '../model/doubts.ts'
import { valueAt } from '../model/json.ts'
import type { KnownNames } from '../model/known-names.ts'
import { nearMisses } from '../model/near-misses.ts'

/** Errors: what would be sent might be a slip. `names`: of the run, with what answers told. */
export function findUnshownWords(changes: readonly Change[], names: KnownNames | undefined): Problem[] {
  return changes.flatMap((change): Problem[] => {
    const { desired, action } = change
    if (desired === undefined || (action !== 'create' && action !== 'update')) return []
    const kind = kindOf(change)
    const isShown = (word: string): boolean => names?.knows(shownBy(kind), word) === true
    const inFields = wordsAt(kind).flatMap(({ path, schema }): Problem[] => {
      const word = valueAt(desired.spec, path)
      if (typeof word !== 'string' || isKnownWord(schema, word) || isShown(word)) return []
      return [{ ...problemOf(word, schema.type === 'string' ? schema.enum : []), place: placeOfField(desired, path) }]
    })
    const inLists = change.collections.flatMap(({ collection, added }) =>
      added.flatMap((entry): Problem[] => {
        const { item } = entry.element
        const known = kind.collections[collection]?.words
        if (item === undefined || known === undefined || known.includes(item) || isShown(item)) return []
        return [{ ...problemOf(item, known), ...placesOfElement(entry) }]
      }),
    )
    return [...inFields, ...inLists].map((problem) => ({ ...problem, address: change.address }))
  })
}

function problemOf(word: string, known: readonly string[] = []): Problem {
  const [near] = nearMisses(word, known)
  const meant = near === undefined ? '' : `Did you mean ${inCode(near)}? `
  return {
    code: 'SVC1351',
    severity: 'error',
    message: `Neither svcsync nor this installation knows the word ${inCode(word)}`,
    hint: `${meant}If the document of the installation has it, write \`${word}: ${word}\` into \`wireNames\` of the target.`,
  }
}
