// How to go on from a plan: to apply it and no other, and with drift to heal or to write down what is there.
import { shellOption, shellWord } from '../../core/guards/shell-option.ts'
import { yamlText } from '../../core/model/yaml-text.ts'
import { shortDigest } from '../../core/plan/plan-digest.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatPlace } from '../../errors/index.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { isEmpty } from '../changes/plan-groups.ts'
import { formatCount, formatNumber } from '../text/counts.ts'

interface WayOn {
  readonly what: string
  /** What to run, or to write. Empty: `what` says it. */
  readonly lines: readonly string[]
}

/** What the commands that are offered have to say. */
export interface WaySettings {
  /** The saved plan, as the person wrote it. It carries its target, its variables and its selection, and not what is allowed. */
  readonly file?: string | undefined
  /** Options with which the plan was made, and that a saved one does not carry, quoted for a shell: another target would make another plan. */
  readonly options?: readonly string[]
  /** Those of them that an export takes. */
  readonly exportOptions?: readonly string[]
}

/** So many objects are named in a command that is there to be copied. */
const maxNamed = 3

/** To heal, to write down, and to write down that something is not there. Nothing where nothing differs. */
export function waysOn(
  plan: ShownPlan,
  { options = [], exportOptions = [] }: WaySettings,
): Readonly<Partial<Record<'heal' | 'writeDown' | 'keepAway', WayOn>>> {
  if (plan.changes.length === 0) return {}
  const { refused, only, allowances } = optionsIn(plan)
  const also = refused.length === 0 ? '' : `, with what the guards above want`
  const heal = ['svcsync apply', ...options, ...only, ...allowances]
  const there = plan.changes.filter(({ action }) => action !== 'create').map(({ address }) => address)
  const named = there.slice(0, maxNamed).map((address) => `--only ${shellWord(address)}`)
  const prints = ['svcsync export', ...exportOptions, ...named].join(' ')
  const missing = plan.changes.filter(({ action }) => action === 'create')
  // There is no apply of the drift alone.
  const { pending = [] } = plan
  const rest =
    pending.length === 0 ? '' : `; it applies what is pending as well, ${formatCount(pending.length, 'object')}`
  return {
    heal: { what: `To heal, so that the platform is as declared${also}${rest}`, lines: [heal.join(' ')] },
    ...(there.length > 0 && {
      writeDown: {
        what: `To write it down, change the manifests at the places above; this prints what is there${firstOf(there)}`,
        lines: [prints],
      },
    }),
    ...(missing.length > 0 && { keepAway: keepAway(missing) }),
  }
}

/** Only users and groups can be declared absent; whatever else is not there is taken out of the manifests. */
function keepAway(missing: PlanDocument['changes']): WayOn {
  const accounts = missing.filter(({ kind }) => kind === 'user' || kind === 'group')
  const [items, their] = missing.length === 1 ? ['its item', 'its'] : ['those items', 'their']
  const takeOut = `If what is not there is to stay away, take ${items} out`
  if (accounts.length === 0) return { what: takeOut, lines: [] }
  return {
    what: `${takeOut}, or write in ${their} place${firstOf(accounts)}`,
    lines: accounts.slice(0, maxNamed).map(({ address, place }) => {
      const svcId = address.slice(address.indexOf('/') + 1)
      return `- { svcId: ${yamlText(svcId)}, absent: true }${place === undefined ? '' : `   # ${formatPlace(place)}`}`
    }),
  }
}

function firstOf(all: readonly unknown[]): string {
  return all.length > maxNamed ? ` (the first ${maxNamed} of ${formatNumber(all.length)} objects)` : ''
}

/** What an apply of this plan takes: its selection, with another one of which the digest is another, too; and what was allowed. */
function optionsIn({ guards, only }: PlanDocument) {
  const allowed = guards.flatMap(({ verdict, allow }) => (verdict === 'allowed' ? (allow ?? []) : []))
  return {
    refused: guards.filter(({ verdict }) => verdict === 'refused'),
    only: only.map((glob) => `--only ${shellWord(glob)}`),
    allowances: [...new Set(allowed.map(shellOption))],
  }
}

/**
 * Undefined where there is nothing to apply, or where an apply would refuse whatever is allowed. `wantsAllowances`: guards refuse
 * the plan as it is, and what they name has to be added to the command.
 */
export function digestOffer(plan: PlanDocument, { file, options = [] }: WaySettings) {
  const { refused, only, allowances } = optionsIn(plan)
  if (isEmpty(plan) || refused.some(({ allow }) => allow === undefined)) return undefined
  const digest = shortDigest(plan.digest)
  const made = file === undefined ? [...options, ...only] : options
  const named = file === undefined ? [] : [shellWord(file)]
  const words = [...named, `--expect ${digest}`, ...made, ...allowances]
  return { digest, command: `svcsync apply ${words.join(' ')}`, wantsAllowances: refused.length > 0 }
}
