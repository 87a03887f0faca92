// Reads the question to `svcsync access` from words and options, and explains how to ask.
import { quoted, suggestion } from '@svcsync/core/model/near-misses.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { kinds } from '@svcsync/kinds/index.ts'
import { levelsOf } from '@svcsync/project/exceptions.ts'
import type { AccessQuestion } from '@svcsync/runs/access/access-run.ts'
import { flagOf } from '../../program/command.ts'
import type { AccessOptions } from '../review.ts'

type What = keyof typeof forms

/** It answers the other questions, and shows what is so now. */
export function refusePage(what: What, { at }: AccessOptions): void {
  if (what !== 'list') throw misasked(what, 'A page is for `access list`: it answers the others.')
  if (at !== undefined) throw misasked(what, 'A page shows only the present state: leave out `--at`.')
}

const asking = ['person', 'level', 'object', 'at', 'strict'] as const
const changing = ['company', 'choose', 'write', 'force'] as const
/** The options that each takes, of those that not all of them take. */
const optionsOf: Readonly<Record<What, readonly (keyof AccessOptions)[]>> = {
  ...{ explain: asking, of: asking, list: asking, grant: changing, revoke: changing },
  accept: ['person', 'level', 'object', 'company', 'all', 'until', 'reason'],
  review: ['by', 'until', 'maxAge', 'dryRun', 'force'],
}

export function refuseOtherOptions(what: What, options: AccessOptions): void {
  const own = new Set(optionsOf[what])
  for (const key of new Set(Object.values(optionsOf).flat())) {
    if (own.has(key) || options[key] === undefined) continue
    const owner = (Object.keys(optionsOf) as What[]).find((each) => optionsOf[each].includes(key)) ?? what
    throw misasked(what, `\`${flagOf(key)}\` is for \`access ${owner}\`.`)
  }
}

export function misasked(what: What, hint: string): OperatorError {
  return new OperatorError('SVC2283', `\`access ${what}\` has wrong arguments`, {
    hint: `${hint === '' ? '' : `${hint} `}Write \`svcsync access ${forms[what]}\`. Quote names with blanks.`,
  })
}

const forms = {
  explain: 'explain PERSON [ADDRESS]',
  of: 'of ADDRESS',
  list: 'list',
  accept: 'accept --person SVCID --until DATE --reason TEXT',
  review: 'review start --by owner --until DATE',
  grant: 'grant PERSON LEVEL ADDRESS',
  revoke: 'revoke PERSON LEVEL ADDRESS',
}

export function questionOf(
  what: What,
  [first, second]: readonly (string | undefined)[],
  { person, object, level }: AccessOptions,
): AccessQuestion {
  const twice = (option: string): OperatorError =>
    misasked(what, `\`--${option}\` repeats a value of the question: leave it out.`)
  const levels = levelsOf(kinds)
  if (level !== undefined && !levels.includes(level))
    throw misasked(what, suggestion(level, levels) ?? `The levels are ${quoted(levels)}.`)
  if (what === 'explain' && first !== undefined) {
    if (person !== undefined) throw twice('person')
    if (second !== undefined && object !== undefined) throw twice('object')
    return { person: first, address: second ?? object, level }
  }
  if (what === 'of' && first !== undefined && second === undefined) {
    if (object !== undefined) throw twice('object')
    return { address: first, person, level }
  }
  if (what === 'list' && first === undefined) return { person, address: object, level }
  throw misasked(what, '')
}
