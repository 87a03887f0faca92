// `access-reviews/`, beside the project file: one folder for each review of access, and in it a file for each reviewer.
import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { filledText, type ObjectSchema } from '@svcsync/core/model/schema.ts'
import { type Answer, decisions, type Review, type ReviewEntry, reviewKey } from '@svcsync/core/plan/access-review.ts'
import { errorAt, formatPlace, type Place, type Problem } from '@svcsync/errors/index.ts'
import { itemsIn, placesIn, readDocument, textIn } from '@svcsync/manifests/read-document.ts'
import { mappingShapeOf } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'

const schema: ObjectSchema = {
  type: 'object',
  required: ['entries'],
  properties: {
    reviewer: filledText('The person who decides.', 'anna.nowak@example.com'),
    entries: {
      type: 'array',
      description: 'Access of people: one item for each account, level and object.',
      items: {
        type: 'object',
        required: ['person', 'level', 'object'],
        description: 'Access of one account.',
        properties: {
          person: filledText('The svcId of the account.', 'maria.wolska@example.com'),
          level: filledText('The level; `owner` for the owner of a group.', 'ReadOnly'),
          object: filledText('The address of the object.', 'application/main/Purchasing'),
          company: filledText('The business entity, if the level is for one.', 'PL01'),
          through: {
            type: 'array',
            description: 'Groups from the one that the account is in to the one that holds the level.',
            items: filledText('The svcId of a group.', 'finance@example.com'),
          },
          since: filledText('The day on which the chain was complete in the manifests.', '2026-03-12'),
          decision: {
            ...{ type: 'string', enum: [...decisions], nullable: true },
            ...{ description: '`keep` or `revoke`.', examples: ['keep'] },
          },
          comment: {
            type: 'string',
            nullable: true,
            description: 'The reason, for later readers.',
            examples: ['Left in May'],
          },
        },
      },
    },
  },
}

/** Reads a reviewer's decisions. Each entry must be there once, unchanged: a difference is an edit by hand. */
export function readAnswers(
  { source, path, file }: { readonly source: TextSource; readonly path: string; readonly file: string },
  review: Review,
  normalise: NormaliseSvcId,
  problems: Problem[],
): readonly Answer[] {
  const before = problems.length
  const kind = { root: 'the file of a reviewer', begins: '`reviewer:`', code: 'SVC1003' } as const
  const root = readDocument(source, path, mappingShapeOf(schema, []), kind, problems)
  const own = review.parts.find((part) => part.file === file)?.entries ?? []
  const wanted = new Map(own.map((at) => [reviewKey(review.entries[at] as ReviewEntry, normalise), at]))
  const places = new Map<number, string>()
  const answers = itemsIn(root, 'entries').flatMap((item): Answer[] => {
    const placeOf = placesIn(source, item)
    const [person, level, object] = [textIn(item, 'person'), textIn(item, 'level'), textIn(item, 'object')]
    if (person === undefined || level === undefined || object === undefined) return []
    const at = wanted.get(reviewKey({ person, level, object, company: textIn(item, 'company') ?? null }, normalise))
    const place = formatPlace(placeOf())
    if (at === undefined) {
      const why = `\`${level}\` of \`${person}\` on \`${object}\` is no entry of this file`
      problems.push(errorAt('SVC1337', why, placeOf(), `Change nothing but \`decision\` and \`comment\`. ${diffHint}`))
      return []
    }
    const first = places.get(at)
    if (first !== undefined) {
      const why = `\`${level}\` of \`${person}\` on \`${object}\` occurs twice here`
      problems.push(errorAt('SVC1337', why, placeOf(), `The other one is at ${first}: keep one of them.`))
      return []
    }
    places.set(at, place)
    const entry = review.entries[at] as ReviewEntry
    problems.push(...changedFields(item, entry, placeOf))
    const decision = decisions.find((each) => each === item.decision) ?? null
    return [{ entry: at, decision, comment: textIn(item, 'comment'), file, place }]
  })
  // An unreadable entry has its own message.
  const missing = problems.length > before ? [] : own.filter((at) => !places.has(at))
  for (const at of missing) {
    const { person, level, object } = review.entries[at] as ReviewEntry
    const why = `\`${level}\` of \`${person}\` on \`${object}\` is missing here`
    problems.push(errorAt('SVC1337', why, source.placeAt(0), `Write \`keep\` or \`revoke\` instead. ${diffHint}`))
  }
  return answers
}

/** The fields shown to reviewers beside the decision. */
function changedFields(item: JsonObject, entry: ReviewEntry, placeOf: (key: string) => Place): Problem[] {
  const chain = Array.isArray(item.through) ? item.through.map(String) : []
  const shown = [
    ['through', chain.join(' › '), entry.through.join(' › ')],
    ['since', textIn(item, 'since') ?? '', entry.since ?? ''],
  ] as const
  return shown.flatMap(([key, is, expected]) => {
    if (is === expected) return []
    const why = `\`${key}\` was changed: the review began with \`${expected || 'nothing'}\``
    return [errorAt('SVC1337', why, placeOf(key), `Change nothing but \`decision\` and \`comment\`. ${diffHint}`)]
  })
}

const diffHint = '`git diff` shows the former text.'
