// A plan, or what is live beside it, as a page: for whoever looks closer than a comment lets them.
import { elementName } from '../../core/model/elements.ts'
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { formatPlace, type Place } from '../../errors/index.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { newAmong } from '../changes/difference-rows.ts'
import { foundAs, objectSentence } from '../changes/drift-words.ts'
import { diffBlockLines } from '../changes/markdown-changes.ts'
import { groupChanges, type PlanGroup, type ReviewedChange, signed } from '../changes/plan-groups.ts'
import { partsOf } from '../plan/no-longer-declared.ts'
import { planSections } from '../plan/render-plan-markdown.ts'
import { groupReported, namesOf, noWays, type Reported, sayVerdict, targetOf } from '../report/combined.ts'
import { formatNumber } from '../text/counts.ts'
import { prose } from '../text/markdown.ts'
import { reportContent } from './report-page.ts'
import { asHtml, escapeHtml, htmlPage, inline, plain } from './shell.ts'
import { stepGraph } from './step-graph.ts'

interface PageOptions {
  /** SHA-256 in base64. */
  readonly hash: (text: string) => string
  /** Address of a place in the repository, at the commit that was planned. */
  readonly link?: ((place: Place) => string | undefined) | undefined
}

/** Nothing is left out: who looks for one person must not find that names end after a thousand. */
const everything = Number.POSITIVE_INFINITY

/** So few are read one after the other. */
const mostOpen = 15

type Options = PageOptions & Parameters<typeof planSections>[2]

export function renderPlanHtml(plan: ShownPlan, options: Options): string {
  const its = { plan, groups: groupChanges(plan), drift: options.drift !== undefined }
  const { headline, footer, content } = planContent(its, options)
  const main = [`<h1>${inline(headline)}</h1>`, ...content, `<footer>${inline(footer)}</footer>`]
  return htmlPage({ title: `svcsync: ${plan.target.name}`, main: joined(main) }, options.hash)
}

/** Several results on one page, with one filter for the changes of all. `leftOut`: what could not be read of others. */
export function renderCombinedHtml(
  all: readonly Reported[],
  options: PageOptions,
  leftOut: readonly string[] = [],
): string {
  const groups = groupReported(all)
  const plans: Filtered[] = []
  const sections = groups.map(({ first, targets }, index) => {
    const heading = `<h1>${inline(`${first.command} for ${namesOf(targets)}`)}</h1><p>${inline(prose(sayVerdict(first)))}</p>`
    if (first.command === 'apply') return `${heading}\n${reportContent(first.report)}`
    const drift = first.command === 'drift' ? { drift: noWays } : {}
    const its = { plan: first.plan, groups: groupChanges(first.plan), drift: first.command === 'drift' }
    plans.push(its)
    const { content } = planContent(its, { ...options, ...drift }, { prefix: `t${index + 1}`, filter: false })
    return joined([heading, ...content])
  })
  const filter = filters(plans)
  const title = `svcsync: ${all.map((reported) => targetOf(reported).name).join(', ')}`
  const lacking = leftOut.map((each) => `<p>${inline(`**Not reported:** ${prose(each)}`)}</p>`)
  return htmlPage({ title, main: joined([...lacking, filter, ...sections]) }, options.hash)
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}

interface Filtered {
  readonly plan: ShownPlan
  readonly groups: readonly PlanGroup[]
  readonly drift: boolean
}

function planContent(
  { plan, groups, drift }: Filtered,
  { link, hash: _, ...options }: Options,
  { prefix = '', filter = true }: { readonly prefix?: string; readonly filter?: boolean } = {},
): { readonly headline: string; readonly footer: string; readonly content: readonly string[] } {
  const { headline, before, after, footer } = planSections(plan, groups, options, everything)
  const addresses = groups.flatMap(({ changes }) => changes).map(({ address }) => address)
  const anchors = new Map(addresses.map((address, index) => [address, `${prefix}c${index + 1}`]))
  const used = new Set<string>()
  // What both sides moved stands in two places, and steps lead to the first.
  const anchorOf = (address: string): string => {
    const anchor = anchors.get(address) ?? ''
    const own = used.has(anchor) ? `${anchor}-${used.size}` : anchor
    used.add(own)
    return own
  }
  const open = plan.changes.length <= mostOpen
  const content = [
    drift ? '' : summary(plan),
    asHtml(before),
    filter ? filters([{ plan, groups, drift }]) : '',
    ...partsOf(plan, groups, drift).flatMap((part) => [
      part.title === '' ? '' : `<h2>${plain(part.title)}</h2>`,
      ...part.groups.map(
        ({ title, changes }) =>
          `<section class="group"><h2>${plain(title)}</h2>\n${changes
            .map((change) => changeArticle(change, anchorOf(change.address), { open, drift, link }))
            .join('\n')}</section>`,
      ),
    ]),
    stepGraph(plan.steps, (address) => anchors.get(address)),
    asHtml(after),
  ]
  return { headline, footer, content }
}

function summary({ counts }: PlanDocument): string {
  const item = (style: string, count: number, what: string): string =>
    count === 0 ? '' : `<li class="${style}"><b>${formatNumber(count)}</b> ${what}</li>`
  const items = [
    item('del', counts.delete, 'to delete'),
    item('mod', counts.update, 'to update'),
    item('add', counts.create, 'to create'),
    item('del', counts.removed, 'entries taken away'),
    item('add', counts.added, 'entries added'),
    item('', counts.none, 'as declared'),
  ].join('')
  return items === '' ? '' : `<ul class="sum">${items}</ul>`
}

/** Shown by the script: without it they would do nothing. */
function filters(shown: readonly Filtered[]): string {
  const all = shown.flatMap(({ plan }) => plan.changes)
  if (all.length < 2) return ''
  const option = ([value, text]: readonly [string, string]): string =>
    `<option value="${escapeHtml(value)}">${plain(text)}</option>`
  const kinds = new Map(
    shown.flatMap(({ groups }) => groups.map(({ title, changes }) => [changes[0]?.kind ?? '', title] as const)),
  )
  const actions = new Map(
    shown.flatMap(({ plan, drift }) =>
      plan.changes.map(({ action }) => [action, drift ? foundAs[action] : action] as const),
    ),
  )
  const people = new Set(
    all.flatMap(({ differences }) =>
      differences.flatMap(({ added = [], removed = [] }) => [...added, ...removed].map(elementName)),
    ),
  )
  return `<form role="search" aria-label="Filter of the changes" hidden>
<label>Search <input type="search" name="search" autocomplete="off"></label>
<label>Kind <select name="kind"><option value="">all</option>${[...kinds].map(option).join('')}</select></label>
<label>Action <select name="action"><option value="">all</option>${[...actions].map(option).join('')}</select></label>
<label>Person <input name="person" list="people" autocomplete="off"></label>
<label class="box"><input type="checkbox" name="danger"> only what takes away</label>
<button type="button">Clear</button>
<output aria-live="polite"></output>
<datalist id="people">${[...people]
    .sort()
    .map((name) => `<option value="${plain(name)}">`)
    .join('')}</datalist>
</form>`
}

function changeArticle(
  change: ReviewedChange,
  anchor: string,
  { open, drift, link }: { readonly open: boolean; readonly drift: boolean; readonly link: PageOptions['link'] },
): string {
  const { kind, action, address, place, differences } = change
  const danger = action === 'delete' || differences.some(({ removed }) => (removed?.length ?? 0) > 0)
  const lines = diffBlockLines(change, Number.POSITIVE_INFINITY, drift)
  const head = `<span class="m">${drift ? foundAs[action] : action}</span> <code>${plain(address)}</code>${effects(change)}`
  const data = `id="${anchor}" class="${action}" data-k="${escapeHtml(kind)}" data-a="${action}"${danger ? ' data-d' : ''}`
  const sentence = drift && action !== 'update' ? `<p class="d note">${inline(objectSentence(change))}</p>` : ''
  const body = lines.length === 0 ? '' : `<div class="d">${bodyOf(lines)}</div>`
  const at = place === undefined ? '' : ` <span class="place">${placeLink(place, link)}</span>`
  return `<article ${data}><details${open ? ' open' : ''}><summary>${head}</summary>${at === '' ? '' : `<p class="d">${at}</p>`}${sentence}${body}</details></article>`
}

function effects({ differences }: ReviewedChange): string {
  const added = differences.reduce((sum, each) => sum + newAmong(each.added).length, 0)
  const removed = differences.reduce((sum, each) => sum + (each.removed?.length ?? 0), 0)
  const parts = signed(['+', added], ['−', removed])
  return parts.length === 0 ? '' : ` <span class="effects">${parts.join(' ')}</span>`
}

function placeLink(place: Place, link: PageOptions['link']): string {
  const text = plain(formatPlace(place))
  const address = link?.(place)
  return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`
}

/** The lines of a `diff` block of the comment. */
function bodyOf(lines: readonly string[]): string {
  return lines
    .map((line) => {
      const heading = /^@@ (.*?) @@(.*)$/s.exec(line)
      if (heading !== null) {
        const [, path = '', at = ''] = heading
        return `<h3>${plain(path)}${at === '' ? '' : ` <span class="place">${plain(at.trim())}</span>`}</h3>`
      }
      const text = plain(line.slice(2))
      if (line.startsWith('+')) return `<ins>${text}</ins>`
      if (line.startsWith('-')) return `<del>${text}</del>`
      return line.startsWith('#') ? `<p class="note">${text}</p>` : `<span>${text}</span>`
    })
    .join('')
}
