// The ledger for the terminal: each target with what was applied, what is pending, and who applies now.
import type { StatusReport, TargetStatus } from '../../core/plan/status-report.ts'
import { hintLines } from '../text/as-called.ts'
import { formatCount } from '../text/counts.ts'
import { indent, type Line, type Piece, paintSections, piece, type Style, wrapText } from '../text/line.ts'

export function renderStatusText(report: StatusReport, { colour, width }: { colour: boolean; width: number }): string {
  return paintSections(
    report.targets.map((target) => targetLines(target, width)),
    colour,
  )
}

function targetLines(target: TargetStatus, width: number): Line[] {
  const { name, baseUrl, applied, problem } = target
  const head: Line = [piece(name, 'strong'), piece(baseUrl === '' ? '' : ` · ${baseUrl}`, 'faint')]
  const row = (title: string, text: string, style?: Style): Line[] =>
    wrapText([indent(2), piece(title.padEnd('applied'.length + 2))], text, width, style)
  if (problem !== undefined) {
    const start: Piece[] = [indent(2), piece('problem  ', 'error'), piece(`${problem.code}  `, 'error')]
    return [head, ...wrapText(start, problem.message, width), ...hintLines([indent(11)], problem.hint, width)]
  }
  return [
    head,
    ...(applied === null
      ? row('applied', 'nothing yet')
      : row('applied', `${applied.commit.slice(0, 7)} ${applied.subject} · ${sayApplication(applied)}`)),
    ...target.begun.flatMap((each) => row('begun', sayBegun(each), 'warning')),
    ...row('pending', sayPending(target), isEven(target) ? undefined : 'warning'),
    ...row('lease', sayLease(target)),
  ]
}

function sayBegun({ commit, subject, at, only, undo }: TargetStatus['begun'][number]): string {
  const named = commit === null ? '' : `${commit.slice(0, 7)} ${subject}`
  const what = undo || commit === null ? `an undo${named && `, back to ${named}`}` : named
  const part = only.map((glob) => ` --only ${glob}`).join('')
  return `${what}${part} · ${at}, not completed: what the platform has of it counts as declared`
}

function sayApplication({ at, application }: NonNullable<TargetStatus['applied']>): string {
  return application === '' ? at : `${at} by ${application}`
}

function isEven({ applied, workingTree: { behind, missing, isCommitted } }: TargetStatus): boolean {
  return applied !== null && behind === 0 && missing === 0 && isCommitted
}

function sayPending({ applied, workingTree }: TargetStatus): string {
  const { commit, behind, missing, isCommitted, reason } = workingTree
  const parts = [
    ...(applied === null || commit === null || behind !== null ? [] : ['commits that cannot be counted']),
    ...(applied === null ? ['everything'] : []),
    ...(behind ? [`${formatCount(behind, 'commit')} of the project, up to ${commit?.slice(0, 7)}`] : []),
    ...(missing
      ? [
          `${formatCount(missing, 'commit')} that ${missing === 1 ? 'was applied and is' : 'were applied and are'} not in ${commit?.slice(0, 7)}`,
        ]
      : []),
    ...(isCommitted || reason === undefined ? [] : [reason]),
  ]
  const why = isCommitted && reason !== undefined ? `: ${reason}` : ''
  return parts.length === 0 ? 'nothing' : `${parts.join('; ')}${why}`
}

function sayLease({ lease }: TargetStatus): string {
  if (lease === null || lease.state === 'free') return 'free'
  const { holder, where, since, until, state } = lease
  const who = `${holder}${where === '' ? '' : ` (${where})`} since ${since}`
  if (state === 'dead') return `left behind by ${who}: its process has ended`
  return state === 'held' ? `held by ${who}, until ${until} or longer` : `left behind by ${who}: it ran out at ${until}`
}
