// Reviews substitutions side by side: their times, and their people.

import type { NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { append } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { inCode } from '@svcsync/errors/index.ts'

type Rule = NonNullable<Kind['reviewAll']>
type Times = Readonly<Partial<Record<'person' | 'substitute' | 'type' | 'from' | 'to', string | undefined>>>
type Declared = Parameters<Rule>[0][number] & { readonly spec: Times }

/**
 * Finds substitutions of the same two people and type that overlap for the same places: nobody could tell which one
 * counts.
 */
export function reviewSubstitutions(all: readonly Declared[], normalise: NormaliseSvcId): ReturnType<Rule> {
  const findings: ReturnType<Rule>[number][] = []
  const ofPair = new Map<string, number[]>()
  for (const [of, { spec }] of all.entries()) {
    const { person, substitute, type, from, to } = spec
    // An unreadable part is already a problem.
    if (person === undefined || substitute === undefined || type === undefined || from === undefined) continue
    if (normalise(person) === normalise(substitute)) {
      findings.push({
        code: 'SVC1305',
        message: `${inCode(person)} cannot be its own substitute: \`person\` and \`substitute\` are one account`,
        hint: 'Write another account as `substitute`.',
        path: ['substitute'],
        ...{ of, other: { of, path: ['person'], message: 'who is away' } },
      })
    }
    if (to !== undefined && !(Date.parse(from) < Date.parse(to))) {
      findings.push({
        code: 'SVC1310',
        message: '`to` is not after `from`: the substitution never applies',
        hint: 'Swap the two, or correct one.',
        path: ['to'],
        ...{ of, other: { of, path: ['from'], message: 'when it begins' } },
      })
    }
    append(ofPair, [normalise(person), normalise(substitute), type].join(' '), of)
  }
  for (const own of ofPair.values()) {
    const sorted = own.sort((a, b) => startOf(all[a] as Declared) - startOf(all[b] as Declared))
    for (const [index, of] of sorted.entries()) {
      for (const earlier of sorted.slice(0, index)) {
        const [later, before] = [all[of] as Declared, all[earlier] as Declared]
        if (endOf(before) < startOf(later) || !holdForTheSame(before.item, later.item)) continue
        findings.push({
          code: 'SVC1305',
          message: `It overlaps another substitution of the same people and type`,
          hint: 'Start one after the other ends, or limit them to different applications.',
          path: ['from'],
          ...{ of, other: { of: earlier, path: ['to'], message: 'the other one ends here' } },
        })
      }
    }
  }
  return findings
}

const startOf = ({ spec: { from = '' } }: Declared): number => Date.parse(from)

/** Without an end, none is declared: whether they meet is not known. */
const endOf = ({ spec: { to } }: Declared): number => (to === undefined ? Number.NEGATIVE_INFINITY : Date.parse(to))

/** As they are written. An application and a process may still meet: what belongs to what, only the platform knows. */
function holdForTheSame(a: JsonObject, b: JsonObject): boolean {
  const entities = [a, b].flatMap(({ businessEntity }) => (businessEntity == null ? [] : [businessEntity]))
  if (entities.length === 2 && entities[0] !== entities[1]) return false
  const [first, second] = [limitsOf(a), limitsOf(b)]
  return first.length === 0 || second.length === 0 || first.some((limit) => second.includes(limit))
}

function limitsOf(item: JsonObject): string[] {
  return ['applications', 'processes'].flatMap((field) => {
    const list = item[field]
    return (Array.isArray(list) ? (list as readonly Json[]) : []).map((each) => {
      const name = isJsonObject(each) ? `${String(each.database)} ${String(Object.values(each)[0])}` : String(each)
      return `${field} ${name}`
    })
  })
}
