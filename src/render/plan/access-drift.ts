// What `drift --access` says beside who can do what: what was accepted, what is over, and what nobody could see.
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatPlace } from '../../errors/index.ts'
import { asCalled } from '../text/as-called.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import { type Flow, indent, piece, say, wrapText } from '../text/line.ts'
import { code, prose, shortList } from '../text/markdown.ts'
import { outsideSaid } from './outside.ts'

type Drift = NonNullable<PlanDocument['accessDrift']>
type Exception = Drift['expired'][number]

const accepting = 'svcsync access accept --all --reason REASON --until DATE'

interface Note {
  readonly sign: '!' | '?' | ''
  readonly text: string
}

export function accessDriftLines({ accessDrift, access }: PlanDocument, verbose: boolean): Flow[] {
  if (accessDrift === undefined) return []
  const notes = notesOf(accessDrift, String, verbose, access?.looked).flatMap(({ sign, text }) =>
    sign === '' ? say(text, 'faint', 2) : [wrapText([indent(2), piece(`${sign} `, 'warning')], text)],
  )
  if (accessDrift.undeclared === 0) return notes
  return [...notes, ...say(acceptSaid, 'faint', 2), [indent(2), piece(asCalled(accepting))]]
}

const acceptSaid = 'To write it down, declare it; to accept it for a time (see `access accept` for one of them):'

export function accessDriftSection({ accessDrift, access }: PlanDocument, names: number): string[] {
  if (accessDrift === undefined) return []
  const notes = notesOf(accessDrift, code, false, access?.looked).map(({ text }) => `- ${text}`)
  const way = accessDrift.undeclared > 0 ? ['', `${prose(acceptSaid)} ${code(asCalled(accepting))}`] : []
  return [...shortList(notes, Math.max(names, 10)), ...way]
}

export function requestsSaid(requests: number): string {
  return `To look at everybody took ${requests === 0 ? 'no more requests' : formatCount(requests, 'more request')}.`
}

/** Of who stands in for whom, where nobody looked; empty: somebody did, or nobody asked. `looked`: kinds. An undo looks at no manifest. */
export function standInsSaid(looked: readonly string[] | undefined, base?: PlanDocument['base']): string {
  if (looked === undefined || looked.includes('substitution')) return ''
  const why = base?.from === 'journal' ? '' : ', since no manifest declares a substitution'
  return `Who stands in for whom was not looked at${why}.`
}

function notesOf(drift: Drift, show: (text: string) => string, whole: boolean, looked?: readonly string[]): Note[] {
  const { expired, idle, accepted, mayBeGroups, unread, requests } = drift
  const names = foldNames(mayBeGroups, '+', { whole })
  const open = [...names.shown.map(show), ...(names.note === '' ? [] : [names.note])].join(', ')
  const closed = foldNames(unread, '+', { whole })
  const note = (sign: Note['sign'], text: string): Note => ({ sign, text })
  return [
    ...expired.map((each) => note('!', `Accepted until ${show(each.until)}, which is over: ${said(each, show)}`)),
    ...closed.shown.map(({ address, reason }) => {
      const why = show === code ? prose(reason) : reason
      return note('?', `Not read, so that nobody knows who can do what there: ${show(address)} (${why})`)
    }),
    note('?', closed.note && `Not read either: ${closed.note}`),
    note('?', open && `May be groups whose members nobody knows, and who can then do what these can: ${open}.`),
    ...idle.map((each) =>
      note('', `Accepted, and nobody can do it any more, so take the line out: ${said(each, show)}`),
    ),
    note('', accepted === 0 ? '' : `Accepted: ${formatCount(accepted, 'level')}, by access-baseline.yaml.`),
    note('', standInsSaid(looked)),
    ...(drift.outside === undefined ? [] : outsideSaid(drift.outside, show)).map((text) => note('', text)),
    note('', requestsSaid(requests)),
  ].filter(({ text }) => text !== '')
}

function said({ person, level, object, company, place }: Exception, show: (text: string) => string): string {
  const limit = company === null ? '' : ` (${show(company)})`
  return `${show(person)}, ${show(level)}${limit} ${level === 'owner' ? 'of' : 'on'} ${show(object)} at ${show(formatPlace(place))}`
}
