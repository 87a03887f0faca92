// Reads `--allow`: one guard and one thing each, so that allowing one thing never allows the next.
import { OperatorError } from '@svcsync/errors/index.ts'
import { nearMisses, quoted, suggestion } from '../model/near-misses.ts'
import type { Guard, Verdict } from './guard.ts'
import { guards } from './guards.ts'

export interface Allowance {
  readonly guard: Guard['name']
  readonly value: string
}

/** `deletions=25`. `policies`: those of the project that can refuse a plan. Throws for what no guard understands. */
export function parseAllowance(text: string, policies: readonly Guard['name'][] = []): Allowance {
  const [name] = text.split('=') as [string]
  const value = text.slice(name.length + 1)
  const known: readonly Pick<Guard, 'name' | 'counts'>[] = [
    ...guards,
    ...policies.map((policy) => ({ name: policy, counts: false })),
  ]
  const guard = known.find((each) => each.name === name)
  if (guard === undefined) {
    const names = known.map((each) => each.name)
    throw new OperatorError('SVC2071', `There is no guard \`${name}\``, {
      hint: suggestion(name, names) ?? `There are ${quoted(names)}.`,
    })
  }
  if (guard.counts ? !/^\d{1,9}$/.test(value) : value === '') {
    throw new OperatorError('SVC2071', `\`--allow ${text}\` does not say what to allow`, {
      hint: guard.counts
        ? `Write a number: \`--allow ${name}=25\` allows up to 25 in this run.`
        : `Copy the option from the plan: \`--allow ${name}=…\`.`,
    })
  }
  return { guard: guard.name, value }
}

const countingGuards: ReadonlySet<Guard['name']> = new Set(
  guards.filter(({ counts }) => counts).map(({ name }) => name),
)

/** A number allows as many and fewer. Addresses count as written: case may tell two apart. */
function allows({ guard, value }: Allowance, wanted: string): boolean {
  const start = `${guard}=`
  if (!countingGuards.has(guard) || !wanted.startsWith(start)) return wanted === start + value
  return Number(value) >= Number(wanted.slice(start.length))
}

/** Undefined: it cannot be. */
export function isAllowed(wanted: string | undefined, allowances: readonly Allowance[]): boolean {
  return wanted !== undefined && allowances.some((allowance) => allows(allowance, wanted))
}

/** Allowances that let nothing pass in this plan: slips, or left over. `hint`: what was probably meant. */
export function unusedAllowances(
  allowances: readonly Allowance[],
  verdicts: readonly Verdict[],
): { readonly allowance: Allowance; readonly hint: string }[] {
  const asked = verdicts.filter(({ allow }) => allow !== undefined)
  return allowances
    .filter((allowance) => !asked.some(({ allow }) => allows(allowance, allow as string)))
    .map((allowance) => ({ allowance, hint: hintFor(allowance, asked) }))
}

function hintFor({ guard, value }: Allowance, asked: readonly Verdict[]): string {
  const same = asked.filter((each) => each.guard === guard).map(({ allow }) => allow as string)
  if (same.length === 0) return 'This guard passes in this plan: remove the option, or it will allow something later.'
  const near = nearMisses(`${guard}=${value}`, same)
  return `This guard asks for ${quoted(near.length > 0 ? near : same.slice(0, 3))}.`
}
