// `svcsync access`: who can do what, live and as declared, through groups in groups.
import { OperatorError } from '../../errors/index.ts'
import { kinds } from '../../kinds/index.ts'
import {
  renderAccessCsv,
  renderAccessJson,
  renderAccessMarkdown,
  renderAccessText,
} from '../../render/report/access-list.ts'
import { type AccessAnswer, type AccessQuestion, accessRun } from '../../runs/access/access-run.ts'
import { openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { planForCommand, readForCommand, reading } from '../open-for-command.ts'
import type { SharedOptions } from '../shared-options.ts'

interface AccessOptions extends Omit<SharedOptions, 'format' | 'only' | 'allow'> {
  readonly format: 'text' | 'csv' | 'json' | 'markdown'
}

type What = 'explain' | 'of' | 'list'

export async function accessCommand(
  what: What,
  first: string | undefined,
  second: string | undefined,
  options: AccessOptions,
): Promise<number> {
  const question = questionOf(what, first, second)
  const console = openConsole(options)
  const shared = { ...options, only: [], allow: [], ledger: false, format: 'text' as const }
  const opened = readForCommand(shared, console.errorForm, false)
  const planned = await planForCommand(opened, shared, console)
  try {
    const answer = await reading(opened.project.target, opened.sources, console, (onProgress) =>
      accessRun(opened, planned.client, planned, question, kinds, onProgress),
    )
    if (what === 'list') refuseGaps(answer)
    const { person, address } = question
    const on = address === undefined ? '' : ` on \`${address}\``
    const who = person === undefined ? 'Nobody' : `\`${person}\``
    const nobody = `${who} can do ${person === undefined ? 'anything' : 'nothing'}${on} now, as far as was read.`
    await console.result(
      options.format === 'csv'
        ? renderAccessCsv(answer)
        : options.format === 'json'
          ? renderAccessJson(answer)
          : options.format === 'markdown'
            ? renderAccessMarkdown(answer)
            : renderAccessText(answer, { ...console, nobody }),
    )
    return answer.unread.length > 0 ? exitCodes.error : exitCodes.done
  } finally {
    await planned.client.close()
  }
}

function questionOf(what: What, first: string | undefined, second: string | undefined): AccessQuestion {
  if (what === 'explain' && first !== undefined) return { person: first, address: second }
  if (what === 'of' && first !== undefined && second === undefined) return { address: first }
  if (what === 'list' && first === undefined) return {}
  const forms = { explain: 'explain PERSON [ADDRESS]', of: 'of ADDRESS', list: 'list' }
  throw new OperatorError('SVC2283', `\`access ${what}\` was not asked as it wants to be`, {
    hint: `Write \`svcsync access ${forms[what]}\`. A name with blanks stands in quotes.`,
  })
}

/** So many are named. */
const named = 10

/** A review that is not whole is none. */
function refuseGaps({ unread }: AccessAnswer): void {
  if (unread.length === 0) return
  const shown = unread.slice(0, named).map(({ address, reason }) => `\`${address}\` (${reason})`)
  const rest = unread.length - shown.length
  throw new OperatorError('SVC2282', 'The list would not be whole: not everything could be read', {
    hint: `Not read: ${shown.join('; ')}${rest > 0 ? `, and ${rest} more` : ''}. Give the application the scopes that \`svcsync doctor\` names.`,
  })
}
