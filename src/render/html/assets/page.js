// A page in a browser: filters and pages rows, sorts tables, and opens everything for paper. Without it, everything shows.
import { number, step, typed } from './common.js'

const lists = [...document.querySelectorAll('.rows')].map((list) => {
  return { list, rows: [...(list.tBodies?.[0] ?? list).children], most: step, more: undefined }
})
const all = lists.flatMap(({ rows }) => rows)
const form = document.querySelector('form')
const chips = [...document.querySelectorAll('[data-tag]')]
const texts = new Map()

const textOf = (row) => {
  if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase())
  return texts.get(row)
}

const moreButton = (entry) => {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'more'
  button.addEventListener('click', () => {
    entry.most += 5 * step
    show()
  })
  const box = entry.list.closest('.wide') ?? entry.list
  box.after(button)
  return button
}

/** Gives how many rows are wanted. */
const showRows = (entry, isWanted) => {
  let own = 0
  for (const row of entry.rows) {
    const wanted = isWanted(row)
    if (wanted) own++
    const hidden = !wanted || own > entry.most
    if (row.hidden !== hidden) row.hidden = hidden
  }
  const rest = own - entry.most
  if (rest > 0) entry.more ??= moreButton(entry)
  if (entry.more) {
    entry.more.hidden = rest <= 0
    entry.more.textContent = `Show more of the ${number.format(Math.max(rest, 0))} others`
  }
  return own
}

const show = () => {
  const word = form?.elements.search.value.trim().toLowerCase() ?? ''
  const tags = chips.filter((chip) => chip.ariaPressed === 'true').map((chip) => chip.dataset.tag)
  const hasTags = (row) => tags.every((tag) => (row.dataset.t ?? '').split('|').includes(tag))
  const isWanted = (row) => hasTags(row) && (word === '' || textOf(row).includes(word))
  const found = lists.reduce((sum, entry) => sum + showRows(entry, isWanted), 0)
  const isFiltered = tags.length > 0 || word !== ''
  for (const section of document.querySelectorAll('main section')) {
    const rows = [...section.querySelectorAll('.rows > article, .rows > tbody > tr')]
    section.hidden = isFiltered && rows.length > 0 && rows.every((row) => row.hidden)
  }
  if (!form) return
  const rows = `${number.format(all.length)}${all.length === 1 ? ' row' : ' rows'}`
  form.querySelector('output').textContent = isFiltered ? `${number.format(found)} of ${rows}` : rows
}

for (const chip of chips)
  chip.addEventListener('click', () => {
    chip.ariaPressed = String(chip.ariaPressed !== 'true')
    show()
  })
if (form) typed(form, show)
form?.addEventListener('submit', (event) => event.preventDefault())

const sortBy = (heading, { list, rows }) => {
  const up = heading.ariaSort !== 'ascending'
  for (const other of list.querySelectorAll('th')) other.ariaSort = null
  heading.ariaSort = up ? 'ascending' : 'descending'
  const key = (row) => row.cells[heading.cellIndex]?.textContent ?? ''
  rows.sort((a, b) => (up ? 1 : -1) * key(a).localeCompare(key(b), 'en', { numeric: true }))
  list.tBodies[0].append(...rows)
  show()
}

for (const entry of lists)
  for (const heading of entry.list.tHead?.rows[0]?.querySelectorAll('th') ?? []) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = heading.textContent
    heading.replaceChildren(button)
    button.addEventListener('click', () => sortBy(heading, entry))
  }

const nav = document.querySelector('nav details')
const isNarrow = () => innerWidth < 1100
if (nav && isNarrow()) nav.open = false
nav?.addEventListener('click', (event) => {
  if (event.target.localName === 'a' && isNarrow()) nav.open = false
})

let printed
addEventListener('beforeprint', () => {
  printed = lists.map(({ most }) => most)
  for (const entry of lists) entry.most = Number.POSITIVE_INFINITY
  show()
  for (const details of document.querySelectorAll('main details:not([open])')) {
    details.open = true
    details.dataset.shut = ''
  }
})
addEventListener('afterprint', () => {
  for (const [index, entry] of lists.entries()) entry.most = printed?.[index] ?? step
  show()
  for (const details of document.querySelectorAll('details[data-shut]')) {
    details.open = false
    delete details.dataset.shut
  }
})

const openTarget = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1))
  if (!target) return
  const entry = lists.find(({ rows }) => rows.includes(target))
  if (entry && target.hidden) {
    for (const chip of chips) chip.ariaPressed = 'false'
    if (form) form.elements.search.value = ''
    entry.most = Math.max(entry.most, entry.rows.indexOf(target) + 1)
    show()
    target.scrollIntoView()
  }
  const details = target.querySelector('details')
  if (details && target.localName === 'article') details.open = true
}

addEventListener('hashchange', openTarget)
if (form) form.hidden = false
show()
openTarget()
