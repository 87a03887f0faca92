// What a page does in a browser: filters and pages its rows, sorts its tables, and opens everything for paper. Without it, everything is
// there and shown.

export const pageScript = `
(() => {
  const number = new Intl.NumberFormat('en')
  const step = 100
  const lists = [...document.querySelectorAll('.rows')].map((list) => ({ list, rows: [...(list.tBodies?.[0] ?? list).children], most: step }))
  const all = lists.flatMap(({ rows }) => rows)
  const form = document.querySelector('form')
  const chips = [...document.querySelectorAll('[data-tag]')]
  const texts = new Map()
  const textOf = (row) => {
    let text = texts.get(row)
    if (text === undefined) texts.set(row, (text = row.textContent.toLowerCase()))
    return text
  }
  const show = () => {
    const word = form?.elements.search.value.trim().toLowerCase() ?? ''
    const tags = chips.filter((chip) => chip.ariaPressed === 'true').map((chip) => chip.dataset.tag)
    const isWanted = (row) => tags.every((tag) => (row.dataset.t ?? '').split('|').includes(tag)) && (word === '' || textOf(row).includes(word))
    let found = 0
    for (const entry of lists) {
      let own = 0
      for (const row of entry.rows) {
        const wanted = isWanted(row)
        if (wanted) own++
        const hidden = !wanted || own > entry.most
        if (row.hidden !== hidden) row.hidden = hidden
      }
      found += own
      const rest = own - entry.most
      if (rest > 0 && !entry.more) {
        entry.more = document.createElement('button')
        entry.more.type = 'button'
        entry.more.className = 'more'
        entry.more.addEventListener('click', () => { entry.most += 5 * step; show() })
        const box = entry.list.closest('.wide') ?? entry.list
        box.after(entry.more)
      }
      if (entry.more) {
        entry.more.hidden = rest <= 0
        entry.more.textContent = 'Show more of the ' + number.format(Math.max(rest, 0)) + ' others'
      }
    }
    const isFiltered = tags.length > 0 || word !== ''
    for (const section of document.querySelectorAll('main section')) {
      const rows = section.querySelectorAll('.rows > article, .rows > tbody > tr')
      section.hidden = isFiltered && rows.length > 0 && ![...rows].some((row) => !row.hidden)
    }
    if (form) form.querySelector('output').textContent = (isFiltered ? number.format(found) + ' of ' : '') + number.format(all.length) + (all.length === 1 ? ' row' : ' rows')
  }
  for (const chip of chips) chip.addEventListener('click', () => {
    chip.ariaPressed = String(chip.ariaPressed !== 'true')
    show()
  })
  let wait
  form?.addEventListener('input', () => {
    clearTimeout(wait)
    wait = setTimeout(show, 120)
  })
  form?.addEventListener('submit', (event) => event.preventDefault())
  for (const { list, rows } of lists) {
    for (const heading of list.tHead?.rows[0]?.querySelectorAll('th') ?? []) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = heading.textContent
      heading.replaceChildren(button)
      button.addEventListener('click', () => {
        const up = heading.ariaSort !== 'ascending'
        for (const other of list.querySelectorAll('th')) other.ariaSort = null
        heading.ariaSort = up ? 'ascending' : 'descending'
        const key = (row) => row.cells[heading.cellIndex]?.textContent ?? ''
        rows.sort((a, b) => (up ? 1 : -1) * key(a).localeCompare(key(b), 'en', { numeric: true }))
        list.tBodies[0].append(...rows)
        show()
      })
    }
  }
  const nav = document.querySelector('nav details')
  if (nav && innerWidth < 1100) nav.open = false
  nav?.addEventListener('click', (event) => { if (event.target.localName === 'a' && innerWidth < 1100) nav.open = false })
  let printed
  addEventListener('beforeprint', () => {
    printed = lists.map(({ most }) => most)
    for (const entry of lists) entry.most = Infinity
    show()
    for (const details of document.querySelectorAll('main details:not([open])')) {
      details.open = true
      details.dataset.shut = ''
    }
  })
  addEventListener('afterprint', () => {
    lists.forEach((entry, index) => (entry.most = printed?.[index] ?? step))
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
})()
`
