// Prints the findings of `doctor` for the terminal: problems stand out, each with its hint below.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { Check, DoctorReport, Variant } from '@svcsync/core/plan/doctor-report.ts'
import { type Block, head, name, note, type Row, section, type Text, table, words } from '../blocks/block.ts'
import { describeTarget } from '../plan/target.ts'
import { printText } from '../printers/text.ts'
import { formatCount } from '../text/counts.ts'
import type { TextForm, Tone } from '../text/line.ts'

/** Of checks that are not called like their names. */
const titles: Partial<Readonly<Record<Check['check'], string>>> = {
  project: 'project file',
  'api-version': 'API version',
  objects: 'reading',
  'svcid-case': 'case of svcIds',
}
const titleOf = (check: Check['check']): string => titles[check] ?? check.replaceAll('-', ' ')

const marks: Readonly<Record<Check['result'], readonly [word: string, tone: Tone]>> = {
  ok: ['ok', 'good'],
  warning: ['warning', 'warning'],
  problem: ['problem', 'error'],
  'not-checked': ['-', 'faint'],
}

export function renderDoctorText(report: DoctorReport, form: Pick<TextForm, 'colour'> & Partial<TextForm>): string {
  const { width = 100, verbose = false } = form
  return printText(doctorBlocks(report, verbose), { ...form, width: Math.max(width, 60) })
}

function doctorBlocks({ target, checks, variants, counts, result, requests }: DoctorReport, whole: boolean): Block[] {
  const bare = [...groupBy(checks.filter(isResultOnly), ({ found }) => found)]
  const rows = [
    ...checks.filter((each) => !isResultOnly(each)).map((each) => checkRow(each, whole)),
    ...bare.map(notCheckedRow),
  ]
  const tone = result === 'problem' ? 'error' : result === 'warning' ? 'warning' : 'good'
  const parts = [
    ...(counts.problem > 0 ? [formatCount(counts.problem, 'problem')] : []),
    ...(counts.warning > 0 ? [formatCount(counts.warning, 'warning')] : []),
    ...(counts.ok > 0 ? [`${counts.ok} ok`] : []),
    ...(counts['not-checked'] > 0 ? [`${counts['not-checked']} not checked`] : []),
  ]
  const sum: Text = [
    words(`${parts.join(', ')}.`, tone),
    words(`${formatCount(requests, 'request')}, nothing written.`, 'faint'),
  ]
  return [
    ...(target === undefined ? [] : [head('Target', target.name, describeTarget(target))]),
    ...table(rows, { weight: 'loss' }),
    ...section('Differences between installations', 'strong', variantTable(variants, whole)),
    note(sum),
  ]
}

function checkRow({ check, result, found, code, todo, details = [], copy = [] }: Check, whole: boolean): Row {
  const [word, tone] = marks[result]
  // A passed check needs no list.
  const shownDetails = whole || result === 'problem' || result === 'warning' ? details : []
  const todos: Text[] = todo === undefined ? [] : [[words('→', tone), todo]]
  return {
    cells: [[words(word, tone)], [words(titleOf(check), 'strong')], code === undefined ? found : `${found} (${code})`],
    // A command to copy stays in one piece, however long.
    below: [
      ...shownDetails.map((detail): Text => [words('·', 'faint'), detail]),
      ...todos,
      ...copy.map((line): Text => [name(line, 'good')]),
    ],
  }
}

const isResultOnly = ({ result, todo }: Check): boolean => result === 'not-checked' && todo === undefined

function notCheckedRow([reason, own]: readonly [string, readonly Check[]]): Row {
  const which = own.map(({ check }) => titleOf(check)).join(', ')
  return { cells: [[words('-', 'faint')], [words('not checked', 'faint')], [words(`${which}: ${reason}`, 'faint')]] }
}

/** A difference that was not seen changes nothing in a first look: its name is enough. */
function variantTable(variants: readonly Variant[], whole: boolean): Block[] {
  const unseen = variants.filter(({ state }) => state === undefined)
  const seen = variants.filter(({ state }) => state !== undefined)
  const rows = [...seen, ...(whole ? unseen : [])].map(({ switch: switchName, state, found }): Row => {
    const tone = state === undefined ? 'faint' : 'good'
    return { cells: [switchName, [words(state ?? 'not seen', tone)], [words(found, 'faint')]] }
  })
  const others = unseen.map((each) => each.switch).join(', ')
  return [
    ...table(rows, { weight: 'loss' }),
    ...(whole || others === '' ? [] : [note(`Not seen: ${others}. --verbose says why.`, 'faint')]),
  ]
}
