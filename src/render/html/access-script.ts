// What the page of access does in a browser: it finds people and objects among what it carries, and shows what one of them can do, or
// who can do something there.

export const accessScript = `
(() => {
  const data = JSON.parse(document.getElementById('data').textContent)
  const { accounts, objects, levels, companies, steps, ways, sinces, rows, licences, hand, review } = data
  const width = 7
  const count = rows.length / width
  const [DECLARED, LIVE, NEXT, ACCEPTED, NEW, OVER] = [1, 2, 4, 8, 16, 32]
  const perhaps = new Set(data.perhaps)
  const number = new Intl.NumberFormat('en')
  const many = (n, one, several = one + 's') => number.format(n) + ' ' + (n === 1 ? one : several)
  const step = 100
  const at = (row, column) => rows[row * width + column]
  const grouped = (column, size) => {
    const lists = Array.from({ length: size }, () => [])
    for (let row = 0; row < count; row++) lists[at(row, column)].push(row)
    return lists
  }
  const ofAccount = grouped(0, accounts.length)
  const ofObject = grouped(2, objects.length)
  const folded = { person: accounts.map((text) => text.toLowerCase()), object: objects.map((text) => text.toLowerCase()) }
  const all = Array.from({ length: count }, (_, row) => row)

  const main = document.getElementById('view')
  const form = document.querySelector('form')
  const search = form.elements.search
  const output = form.querySelector('output')
  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name)
    if (text !== undefined) element.textContent = text
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    return element
  }
  const with_ = (element, ...children) => (element.append(...children), element)
  const link = (kind, index) => make('a', (kind === 'person' ? accounts : objects)[index], { href: '#' + kind + '=' + encodeURIComponent((kind === 'person' ? accounts : objects)[index]) })

  const chain = (row) => {
    const way = ways[at(row, 4)]
    if (way.length === 0) return make('span', 'directly', { class: 'faint' })
    const list = make('ol', undefined, { class: 'chain', 'aria-label': 'through' })
    for (const each of [...way.map((index) => steps[index]), level(row)]) list.append(make('li', each))
    return list
  }
  const level = (row) => levels[at(row, 1)] + (at(row, 3) < 0 ? '' : ' (' + companies[at(row, 3)] + ')')
  const since = (row) => {
    const found = sinces[at(row, 5)]
    if (found === undefined) return make('span', at(row, 6) & DECLARED ? 'an unknown day' : 'not declared', { class: at(row, 6) & DECLARED ? 'faint' : 'warning' })
    return with_(make('span', found[0]), make('span', ' ' + found[1], { class: 'faint' }))
  }
  const state = (row) => {
    const flags = at(row, 6)
    const said = []
    if (review && flags & NEW) said.push('new since the review')
    if (!(flags & LIVE)) said.push('from the next apply on')
    else if (!(flags & NEXT)) said.push('until the next apply')
    if (flags & ACCEPTED) said.push(flags & OVER ? 'was accepted, which is over' : 'accepted for a time')
    return said.join(', ')
  }
  const licence = (index) => {
    const own = licences[index]
    return own === null ? '' : own === '' ? 'no licence' : own
  }

  let shownLists = []
  const table = (headings, list, cellsOf, label) => {
    const element = make('table', undefined, { class: 'cards' })
    element.append(make('caption', label, { class: 'hidden' }))
    const head = make('tr')
    for (const text of headings) head.append(make('th', text, { scope: 'col' }))
    element.append(with_(make('thead'), head))
    const body = make('tbody')
    element.append(body)
    const box = with_(make('div'), with_(make('div', undefined, { class: 'wide', tabindex: '0', role: 'group', 'aria-label': label }), element))
    let shown = 0
    const more = make('button', '', { type: 'button', class: 'more' })
    const show = (most) => {
      for (; shown < list.length && shown < most; shown++) {
        const line = make('tr')
        cellsOf(list[shown]).forEach((cell, column) => {
          const td = make('td', undefined, { 'data-label': headings[column] })
          if (cell === '' ) td.className = 'empty'
          td.append(cell)
          line.append(td)
        })
        body.append(line)
      }
      more.hidden = shown >= list.length
      more.textContent = 'Show more of the ' + number.format(list.length - shown) + ' others'
    }
    more.addEventListener('click', () => show(shown + 5 * step))
    box.append(more)
    show(step)
    shownLists.push(() => show(Infinity))
    return box
  }

  const words = () => search.value.trim().toLowerCase()
  const matching = (kind) => {
    const word = words()
    return (kind === 'person' ? accounts : objects).map((_, index) => index).filter((index) => word === '' || folded[kind][index].includes(word))
  }
  const isAdministrator = (row) => at(row, 1) === data.administrator
  const names = (kind) => {
    const found = matching(kind)
    const lists = kind === 'person' ? ofAccount : ofObject
    const headings = kind === 'person' ? ['Person', 'Can do', 'Administrator of', 'Licence'] : ['Object', 'Who', 'Administrators']
    output.textContent = many(found.length, kind === 'person' ? 'person' : 'object', kind === 'person' ? 'people' : 'objects')
    return [table(headings, found, (index) => {
      const own = lists[index]
      const administrators = own.filter(isAdministrator).length
      const first = with_(make('span'), link(kind, index))
      if (kind === 'person') {
        if (perhaps.has(index)) first.append(make('span', ' perhaps a group', { class: 'warning' }))
        return [first, many(own.length, 'entry', 'entries'), administrators === 0 ? '' : number.format(administrators), licence(index)]
      }
      return [first, many(new Set(own.map((row) => at(row, 0))).size, 'person', 'people'), administrators === 0 ? '' : number.format(administrators)]
    }, kind === 'person' ? 'People' : 'Objects')]
  }
  const entries = (title, list, none) => () => {
    const word = words()
    const found = word === '' ? list : list.filter((row) => folded.person[at(row, 0)].includes(word) || folded.object[at(row, 2)].includes(word))
    output.textContent = many(found.length, 'entry', 'entries')
    if (found.length === 0) return [make('p', none)]
    return [table(['Person', 'Level', 'Object', 'Why', 'Since', 'Note'], found, (row) => [link('person', at(row, 0)), level(row), link('object', at(row, 2)), chain(row), since(row), state(row)], title)]
  }
  const person = (index) => {
    const own = ofAccount[index]
    output.textContent = many(own.length, 'entry', 'entries')
    const about = [licence(index) && 'Licence: ' + licence(index), perhaps.has(index) && 'This account may be a group: nobody knows who is in it.',
      ...hand.filter(([svcId]) => svcId.toLowerCase() === folded.person[index]).map(([, role, checked]) => role + ' of the whole installation, checked by hand on ' + checked)]
    const notes = about.filter(Boolean).map((text) => make('p', text))
    return [...notes, table(['Level', 'Object', 'Why', 'Since', 'Note'], own, (row) => [level(row), link('object', at(row, 2)), chain(row), since(row), state(row)], 'What this account can do')]
  }
  const object = (index) => {
    const own = ofObject[index]
    output.textContent = many(own.length, 'entry', 'entries')
    return levels.flatMap((name, which) => {
      const those = own.filter((row) => at(row, 1) === which)
      if (those.length === 0) return []
      return [with_(make('section'), make('h3', name + ' (' + number.format(those.length) + ')'),
        table(['Who', 'Why', 'Since', 'Licence', 'Note'], those, (row) => [with_(make('span'), link('person', at(row, 0)), at(row, 3) < 0 ? '' : ' (' + companies[at(row, 3)] + ')'), chain(row), since(row), licence(at(row, 0)), state(row)], name))]
    })
  }
  const flagged = (test) => all.filter(test)
  const views = {
    people: ['People', () => names('person')],
    objects: ['Objects', () => names('object')],
    new: ['New since the last review', entries('New since the last review', flagged((row) => at(row, 6) & NEW), review ? 'Nothing is new since the review of ' + review.started + '.' : 'No review has been finished: svcsync access review start begins one.')],
    undeclared: ['Not declared', entries('Not declared', flagged((row) => !(at(row, 6) & DECLARED)), 'Everything is declared.')],
    unlicensed: ['Without a licence', entries('Without a licence', flagged((row) => licences[at(row, 0)] === ''), 'Everybody who can do anything has a licence, as far as svcsync could read.')],
  }
  const tabs = [...document.querySelectorAll('[data-view]')]
  const read = () => {
    const [kind, text = ''] = location.hash.slice(1).split('=')
    let name = ''
    try { name = decodeURIComponent(text) } catch { name = '' }
    const index = kind === 'person' ? accounts.indexOf(name) : kind === 'object' ? objects.indexOf(name) : -1
    return index >= 0 ? { kind, index } : { kind: views[kind] ? kind : 'people' }
  }
  let drawn = ''
  const draw = (focuses) => {
    const { kind, index } = read()
    shownLists = []
    const [title, body] = index === undefined ? views[kind] : [kind === 'person' ? accounts[index] : objects[index], () => (kind === 'person' ? person(index) : object(index))]
    const heading = make('h2', title, { tabindex: '-1' })
    main.replaceChildren(heading, ...body())
    for (const tab of tabs) {
      if (tab.dataset.view === (index === undefined ? kind : kind === 'person' ? 'people' : 'objects')) tab.setAttribute('aria-current', 'page')
      else tab.removeAttribute('aria-current')
    }
    if (focuses && drawn !== location.hash) { heading.focus({ preventScroll: true }); scrollTo(0, 0) }
    drawn = location.hash
  }
  addEventListener('hashchange', () => draw(true))
  let wait
  search.addEventListener('input', () => {
    clearTimeout(wait)
    wait = setTimeout(() => {
      const { kind, index } = read()
      if (index !== undefined) location.hash = kind === 'object' ? 'objects' : 'people'
      else draw(false)
    }, 120)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearTimeout(wait)
    const people = matching('person')
    const things = matching('object')
    const [kind, index] = read().kind === 'objects' ? (things.length ? ['object', things[0]] : ['person', people[0]]) : people.length ? ['person', people[0]] : ['object', things[0]]
    if (words() !== '' && index !== undefined) location.hash = link(kind, index).getAttribute('href')
  })
  addEventListener('beforeprint', () => { for (const show of shownLists) show() })
  form.hidden = false
  draw(false)
})()
`
