// The head of every text: for which installation it holds.

import type { PlanDocument, TargetIdentity } from '@svcsync/core/plan/plan-document.ts'
import { byCount } from '@svcsync/errors/index.ts'

/** `https://test.example.com`, `API 6.0`, `databases main = 1, archive = 2`. */
export function describeTarget({ baseUrl, apiVersion, databases, only }: TargetIdentity): string[] {
  const names = Object.entries(databases).map(([name, id]) => `${name} = ${id}`)
  const list = names.length === 0 ? [] : [`${byCount(names.length, 'database', 'databases')} ${names.join(', ')}`]
  const scope = only === undefined ? [] : [`only ${only.join(', ')}`]
  return [...(baseUrl === '' ? [] : [baseUrl]), `API ${apiVersion}`, ...list, ...scope]
}

/** `since main (3f2a9c1)`. */
export function describeBase({ base }: Pick<PlanDocument, 'base'>): string[] {
  if (!base) return []
  const { ref, commit, from, begun = [] } = base
  const short = commit === null || commit.startsWith(ref) ? '' : ` (${commit.slice(0, 7)})`
  if (from === 'journal') return [`reverts ${ref}`]
  const namesOf = (all: typeof begun) => [...new Set(all.flatMap((each) => each.commit?.slice(0, 7) ?? []))].join(', ')
  const undos = begun.filter(({ commit, undo }) => undo || commit === null)
  const [named, back] = [namesOf(begun.filter((each) => !undos.includes(each))), namesOf(undos)]
  return [
    `${from === 'ledger' ? 'last applied' : 'since'} ${ref === commit ? ref.slice(0, 7) : ref}${short}`,
    ...(named === '' ? [] : [`not completed ${named}`]),
    ...(undos.length === 0 ? [] : [`undo since${back && `, back to ${back}`}`]),
  ]
}
