// Old names (`previously`) that more than one object could take: renamed would be what another object is, or is to become.
import { formatPlace, inCode, type Problem } from '../../errors/index.ts'
import { addressUnder } from '../model/address.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, placeOfField } from '../model/desired.ts'

/** Old names that are declared themselves, and those that several objects had. */
export function findSharedOldNames(desired: readonly Desired[]): Problem[] {
  const renamed = desired.filter(({ previously }) => previously !== undefined)
  if (renamed.length === 0) return []
  const declared = new Map(desired.map((object) => [object.address, object]))
  const known = new Map<string, Desired>()
  const problems: Problem[] = []
  for (const object of renamed) {
    const { kind, address, at, previously = '' } = object
    // What can be renamed is known by its name as it is written.
    const key = addressUnder(previously, address, at.name ?? '')
    const [here, earlier] = [declared.get(key), known.get(key)]
    if (earlier === undefined) known.set(key, object)
    const common = { code: 'SVC1320', severity: 'error', address, place: placeOfField(object, ['previously']) } as const
    if (here === object) {
      const hint = 'Write the name of before, or remove `previously`.'
      problems.push({ ...common, message: `${inCode(previously)} is the name that the ${kind.name} has now`, hint })
    } else if (here !== undefined) {
      const other = placeIn(here.declarations[0], [])
      problems.push({
        ...common,
        message: `${inCode(at.name)} was called ${inCode(previously)}, and a ${kind.name} of that name is declared as well`,
        hint: `The other place is ${formatPlace(other)}. Remove it, or remove \`previously\` where the renaming is done.`,
        related: [{ message: 'declared here', place: other }],
      })
    } else if (earlier !== undefined) {
      const other = placeOfField(earlier, ['previously'])
      problems.push({
        ...common,
        message: `${inCode(at.name)} and ${inCode(earlier.at.name)} cannot both have been ${inCode(previously)}`,
        hint: `The other place is ${formatPlace(other)}: keep \`previously\` at the one that is to be renamed.`,
        related: [{ message: 'the other one', place: other }],
      })
    }
  }
  return problems
}
