// One object that the base declares is declared no more, and one that looks like it is new.
import { formatPlace, inCode, type Problem } from '@svcsync/errors/index.ts'
import { addressUnder } from '../model/address.ts'
import { placeIn } from '../model/declaration.ts'
import type { Desired } from '../model/desired.ts'
import { groupBy } from '../model/group-by.ts'
import { canonicalJson } from '../model/json.ts'
import { nearMisses } from '../model/near-misses.ts'
import { yamlText } from '../model/yaml-text.ts'
import type { Plan } from './plan.ts'

/** With so many creations and deletions, none is taken for a rename. */
const mostPairs = 400

/** Only for two objects that resemble each other and no third one, of a kind that can be renamed in place. */
export function findPerhapsRenamed(
  desired: readonly Desired[],
  { changes, noLongerDeclared = [] }: Omit<Plan, 'guards'>,
): Problem[] {
  const listed = new Set(noLongerDeclared.flatMap(({ address, path }) => (path === undefined ? address : [])))
  const gone = desired.filter(
    (object) => object.since?.standing === 'gone' && listed.has(object.address) && isRenamable(object),
  )
  if (gone.length === 0) return []
  const created = groupBy(
    changes.flatMap(({ action, desired: object }) =>
      action === 'create' && object && isRenamable(object) ? object : [],
    ),
    whereOf,
  )
  return [...groupBy(gone, whereOf)].flatMap(([where, before]) => {
    const after = created.get(where) ?? []
    if (before.length * after.length > mostPairs) return []
    const pairs = before.flatMap((old) => after.filter((now) => isLike(old, now)).map((now) => ({ old, now })))
    const isOnly = (pair: (typeof pairs)[number]) =>
      pairs.every(({ old, now }) => (old === pair.old) === (now === pair.now))
    return pairs.filter(isOnly).map(problemOf)
  })
}

function isRenamable({ declarations }: Desired): boolean {
  return declarations[0].section.schema.properties.previously !== undefined
}

function whereOf({ kind, address, at }: Desired): string {
  return `${kind.name} ${addressUnder('', address, at.name ?? '')}`
}

function isLike({ since, at }: Desired, now: Desired): boolean {
  const [old, own] = [at.name ?? '', now.at.name ?? '']
  return nearMisses(old, [own]).length > 0 || canonicalJson(since?.base.spec) === canonicalJson(now.spec)
}

function problemOf({ old, now }: { readonly old: Desired; readonly now: Desired }): Problem {
  const place = placeIn(now.declarations[0], [])
  return {
    code: 'SVC2194',
    severity: 'warning',
    address: now.address,
    place,
    message: `${inCode(now.address)} is created, and ${inCode(old.address)}, which looks alike, is no longer declared`,
    hint:
      `If it is the same object under a new name, write \`previously: ${yamlText(old.at.name ?? '')}\` ` +
      `at ${formatPlace(place)}: svcsync then renames it, and it keeps its id.`,
  }
}
