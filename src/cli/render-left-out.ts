// What an export left out, as text for people.
import type { LeftOut } from '../core/model/live-tree.ts'
import { disarmLines, neutralise } from '../render/neutralise.ts'

export function leftOutText(leftOut: readonly LeftOut[]): string {
  const lines = leftOut.flatMap(({ address, field, reason, hint }) => [
    `  ${neutralise(field === undefined ? address : `${address}  ${field}`)}`,
    `    ${neutralise(reason)}`,
    ...(hint === undefined ? [] : [`    hint: ${neutralise(hint)}`]),
  ])
  return disarmLines(`${['Left out:', ...lines].join('\n')}\n`)
}
