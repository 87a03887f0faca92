// Words the effect of exceptions on a plan: exempt elements, conflicts, expiry, and those without a match.
import { showElement } from '@svcsync/core/model/elements.ts'
import type { ExceptionDocument, ExceptionFindings } from '@svcsync/core/plan/except.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import { type Block, fold, type Inline, name, type Row, section, table, words } from '../blocks/block.ts'
import { formatCount } from '../text/counts.ts'

const noticeMs = 7 * 86_400_000

export function exceptionsSection(plan: PlanDocument): Block[] {
  const { exceptions, createdAt } = plan
  if (exceptions === undefined) return []
  const { left, overruled, expired, idle } = exceptions
  const endMs = Date.parse(createdAt) + noticeMs
  const ending = left.filter(({ by }) => Date.parse(by.ends) <= endMs)
  const rows = [
    ...expired.map((each) => exceptionRow(each, '!', `Excepted until ${each.by.until}, which is over:`)),
    ...overruled.map((each) => exceptionRow(each, '~', 'Excepted, but the manifests moved since, and win:')),
    ...ending.map((each) => exceptionRow(each, '!', `Excepted until ${each.by.until}, and drift after that:`)),
    ...idle.map((by): Row => {
      return { cells: [['Leaves nothing alone, so remove the line:', ...nameOf(by)]], place: by.place }
    }),
  ]
  return section('Exceptions', 'warning', table(rows, { noun: ['exception', 'exceptions'], weight: 'news' }))
}

function exceptionRow(each: ExceptionFindings<ExceptionDocument>['left'][number], sign: '!' | '~', lead: string): Row {
  return { sign, cells: [[lead, ...subjectOf(each)]], place: each.by.place }
}

export function describeExceptions({ exceptions }: PlanDocument): string[] {
  const left = exceptions?.left ?? []
  if (left.length === 0) return []
  const files = [...new Set(left.map(({ by }) => by.place.file))]
  return [`Left alone by ${files.join(' and ')}: ${formatCount(left.length, 'difference')}.`]
}

export function exceptedBlocks({ exceptions }: PlanDocument): Block[] {
  const rows = (exceptions?.left ?? []).map((each): Row => {
    const { by } = each
    return { cells: [subjectOf(each), [words(`until ${by.until}:`, 'faint'), by.reason]], place: by.place }
  })
  return fold('Excepted', table(rows))
}

function subjectOf({ address, path, element, act }: ExceptionFindings<ExceptionDocument>['left'][number]): Inline[] {
  if (path === undefined) return [name(address), act === 'create' ? 'is missing' : 'is there']
  if (element === undefined) return [name(address), path]
  return [name(address), path, name(showElement(element)), act === 'add' ? 'is missing' : 'is there']
}

function nameOf({ address, path, entry, person, object, level, company }: ExceptionDocument): Inline[] {
  const limit = company === undefined ? [] : [`(${company})`]
  if (address === undefined) return [name(person ?? ''), level ?? '', ...limit, 'on', name(object ?? '')]
  return [
    name(address),
    ...[path, entry].flatMap((part) => part ?? []),
    ...(level === undefined ? [] : [level]),
    ...limit,
  ]
}
