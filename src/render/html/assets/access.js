// The page of access in a browser: finds people and objects in its data, and shows the access of a person or to an object.
import { number, step, typed } from './common.js'

const data = JSON.parse(document.getElementById('data').textContent)
const { accounts, objects, levels, companies, steps, ways, sinces, rows, licences, hand, review } = data
const width = 9
const count = rows.length / width
const [ACCOUNT, LEVEL, OBJECT, COMPANY, WAY, SINCE, FLAGS, LINE, REST] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const [DECLARED, LIVE, NEXT, ACCEPTED, NEW, OVER] = [1, 2, 4, 8, 16, 32]
const at = (row, column) => rows[row * width + column]
const has = (row, flag) => (at(row, FLAGS) & flag) !== 0
const grouped = (column, size) => {
  const lists = Array.from({ length: size }, () => [])
  for (let row = 0; row < count; row++) lists[at(row, column)].push(row)
  return lists
}
const lowered = (texts) => texts.map((text) => text.toLowerCase())
const all = Array.from({ length: count }, (_, row) => row)
const perhaps = new Set(data.perhaps)

/** Sorts of names, by their word in an address of the page. */
const sorts = {
  person: { names: accounts, folded: lowered(accounts), rows: grouped(ACCOUNT, accounts.length), view: 'people' },
  object: { names: objects, folded: lowered(objects), rows: grouped(OBJECT, objects.length), view: 'objects' },
}

const many = (n, one, several = `${one}s`) => `${number.format(n)} ${n === 1 ? one : several}`
const people = (n) => many(n, 'person', 'people')
const entries = (n) => many(n, 'entry', 'entries')

const main = document.getElementById('view')
const form = document.querySelector('form')
const { search } = form.elements
const say = (text) => {
  form.querySelector('output').textContent = text
}
const words = () => search.value.trim().toLowerCase()

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}
const span = (text, style) => make('span', style ? { class: style } : {}, text)
const link = (sort, index) => {
  const name = sorts[sort].names[index]
  return make('a', { href: `#${sort}=${encodeURIComponent(name)}` }, name)
}

const companyOf = (row) => (at(row, COMPANY) < 0 ? '' : ` (${companies[at(row, COMPANY)]})`)
const levelOf = (row) => levels[at(row, LEVEL)] + companyOf(row)
const licence = (account) => (licences[account] === '' ? 'no licence' : (licences[account] ?? ''))

/** A link to the line of a manifest, or its place as text. */
const placed = (text, place) => {
  if (place === undefined) return text
  const [file, line] = data.places[place]
  const [name, url] = data.files[file]
  const title = `${name}:${line}`
  if (url === '') return make('span', { title }, text)
  const href = url.replaceAll('{line}', line).replaceAll('{next}', line + 1)
  return make('a', { href, title, rel: 'noreferrer' }, text)
}
const chain = (row) => {
  const way = ways[at(row, WAY)]
  const lines = at(row, LINE) < 0 ? [] : [at(row, LINE), ...data.rests[at(row, REST)]]
  if (way.length === 0) return make('span', { class: 'faint' }, placed('directly', lines[0]))
  const links = [...way.map((index) => steps[index]), levelOf(row)]
  return make(
    'ol',
    { class: 'chain', 'aria-label': 'through' },
    ...links.map((each, index) => make('li', {}, placed(each, lines[index]))),
  )
}
const since = (row) => {
  const found = sinces[at(row, SINCE)]
  if (found !== undefined) return make('span', {}, span(found[0]), span(` ${found[1]}`, 'faint'))
  return has(row, DECLARED) ? span('an unknown day', 'faint') : span('not declared', 'warning')
}
const state = (row) => {
  const said = []
  if (review && has(row, NEW)) said.push('new since the review')
  if (!has(row, LIVE)) said.push('from the next apply on')
  else if (!has(row, NEXT)) said.push('until the next apply')
  if (has(row, ACCEPTED)) said.push(has(row, OVER) ? 'was accepted, which is over' : 'accepted for a time')
  return said.join(', ')
}

/** By their headings. */
const columns = {
  Person: (row) => link('person', at(row, ACCOUNT)),
  Who: (row) => make('span', {}, link('person', at(row, ACCOUNT)), companyOf(row)),
  Level: levelOf,
  Object: (row) => link('object', at(row, OBJECT)),
  Why: chain,
  Since: since,
  Licence: (row) => licence(at(row, ACCOUNT)),
  Note: state,
}

let shownLists = []
const table = (label, headings, list, cellsOf = (row) => headings.map((heading) => columns[heading](row))) => {
  const head = make('tr', {}, ...headings.map((text) => make('th', { scope: 'col' }, text)))
  const body = make('tbody')
  const caption = make('caption', { class: 'hidden' }, label)
  const element = make('table', { class: 'cards' }, caption, make('thead', {}, head), body)
  const more = make('button', { type: 'button', class: 'more' })
  const line = (item) => {
    const cells = cellsOf(item).map((cell, column) => {
      const empty = cell === '' ? { class: 'empty' } : {}
      return make('td', { 'data-label': headings[column], ...empty }, cell)
    })
    return make('tr', {}, ...cells)
  }
  let shown = 0
  const show = (most) => {
    for (; shown < list.length && shown < most; shown++) body.append(line(list[shown]))
    more.hidden = shown >= list.length
    more.textContent = `Show more of the ${number.format(list.length - shown)} others`
  }
  more.addEventListener('click', () => show(shown + 5 * step))
  show(step)
  shownLists.push(() => show(Number.POSITIVE_INFINITY))
  const wide = make('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': label }, element)
  return make('div', {}, wide, more)
}

const matching = (sort) => {
  const word = words()
  const indexes = sorts[sort].names.map((_, index) => index)
  return indexes.filter((index) => word === '' || sorts[sort].folded[index].includes(word))
}
const administratorsOf = (own) => {
  const found = own.filter((row) => at(row, LEVEL) === data.administrator).length
  return found === 0 ? '' : number.format(found)
}

const allPeople = () => {
  const found = matching('person')
  say(people(found.length))
  const cellsOf = (index) => {
    const own = sorts.person.rows[index]
    const unsure = perhaps.has(index) ? [span(' perhaps a group', 'warning')] : []
    const first = make('span', {}, link('person', index), ...unsure)
    return [first, entries(own.length), administratorsOf(own), licence(index)]
  }
  return [table('People', ['Person', 'Can do', 'Administrator of', 'Licence'], found, cellsOf)]
}
const allObjects = () => {
  const found = matching('object')
  say(many(found.length, 'object'))
  const cellsOf = (index) => {
    const own = sorts.object.rows[index]
    const who = people(new Set(own.map((row) => at(row, ACCOUNT))).size)
    return [make('span', {}, link('object', index)), who, administratorsOf(own)]
  }
  return [table('Objects', ['Object', 'Who', 'Administrators'], found, cellsOf)]
}
/** `none`: the text for an empty list. */
const those = (title, test, none) => {
  const list = all.filter(test)
  return () => {
    const word = words()
    const isFound = (row) =>
      sorts.person.folded[at(row, ACCOUNT)].includes(word) || sorts.object.folded[at(row, OBJECT)].includes(word)
    const found = word === '' ? list : list.filter(isFound)
    say(entries(found.length))
    if (found.length === 0) return [make('p', {}, none)]
    return [table(title, ['Person', 'Level', 'Object', 'Why', 'Since', 'Note'], found)]
  }
}
const onePerson = (index) => {
  const own = sorts.person.rows[index]
  say(entries(own.length))
  const byHand = hand.filter(([svcId]) => svcId.toLowerCase() === sorts.person.folded[index])
  const notes = [
    licence(index) && `Licence: ${licence(index)}`,
    perhaps.has(index) && 'This account may be a group: nobody knows who is in it.',
    ...byHand.map(([, role, checked]) => `${role} of the whole installation, checked by hand on ${checked}`),
  ]
  const said = notes.filter(Boolean).map((text) => make('p', {}, text))
  return [...said, table('What this account can do', ['Level', 'Object', 'Why', 'Since', 'Note'], own)]
}
/** Administrators of the object's parents, which its own list does not contain. */
const above = (index) =>
  data.above.flatMap(([name, level, n, holds]) => {
    if (!holds.includes(index)) return []
    const container = objects.indexOf(name)
    return [make('p', {}, `Above it, ${people(n)}: ${level} of `, container < 0 ? name : link('object', container))]
  })
const oneObject = (index) => {
  const own = sorts.object.rows[index]
  say(entries(own.length))
  const byLevel = levels.flatMap((name, which) => {
    const held = own.filter((row) => at(row, LEVEL) === which)
    if (held.length === 0) return []
    const heading = make('h3', {}, `${name} (${number.format(held.length)})`)
    return [make('section', {}, heading, table(name, ['Who', 'Why', 'Since', 'Licence', 'Note'], held))]
  })
  return [...above(index), ...byLevel]
}

const nothingNew = review
  ? `Nothing is new since the review of ${review.started}.`
  : 'No review has been finished: svcsync access review start begins one.'
const licensed = 'Everybody who can do anything has a licence, as far as svcsync could read.'
const marked = (title, test, none) => [title, those(title, test, none)]
const views = {
  people: ['People', allPeople],
  objects: ['Objects', allObjects],
  new: marked('New since the last review', (row) => has(row, NEW), nothingNew),
  undeclared: marked('Not declared', (row) => !has(row, DECLARED), 'Everything is declared.'),
  unlicensed: marked('Without a licence', (row) => licences[at(row, ACCOUNT)] === '', licensed),
}

const read = () => {
  const [sort, text = ''] = location.hash.slice(1).split('=')
  let name = ''
  try {
    name = decodeURIComponent(text)
  } catch {}
  const index = sorts[sort]?.names.indexOf(name) ?? -1
  return index >= 0 ? { sort, index, view: sorts[sort].view } : { view: views[sort] ? sort : 'people' }
}

const tabs = [...document.querySelectorAll('[data-view]')]
let drawn = ''
const draw = (focuses) => {
  const { sort, index, view } = read()
  shownLists = []
  const one = () => (sort === 'person' ? onePerson(index) : oneObject(index))
  const [title, body] = index === undefined ? views[view] : [sorts[sort].names[index], one]
  const heading = make('h2', { tabindex: '-1' }, title)
  main.replaceChildren(heading, ...body())
  for (const tab of tabs) {
    if (tab.dataset.view === view) tab.setAttribute('aria-current', 'page')
    else tab.removeAttribute('aria-current')
  }
  if (focuses && drawn !== location.hash) {
    heading.focus({ preventScroll: true })
    scrollTo(0, 0)
  }
  drawn = location.hash
}

addEventListener('hashchange', () => draw(true))
const callOff = typed(search, () => {
  const { index, view } = read()
  if (index !== undefined) location.hash = view
  else draw(false)
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  callOff()
  const order = read().view === 'objects' && read().index === undefined ? ['object', 'person'] : ['person', 'object']
  const [first] = order.flatMap((sort) =>
    matching(sort)
      .slice(0, 1)
      .map((index) => link(sort, index)),
  )
  if (words() !== '' && first !== undefined) location.hash = first.getAttribute('href')
})
addEventListener('beforeprint', () => {
  for (const show of shownLists) show()
})
form.hidden = false
draw(false)
