// What a page does in a browser: filters its changes, and opens all of them for paper. Without it, everything is there and shown.

export const pageScript = `
(() => {
  const form = document.querySelector('form')
  const articles = [...document.querySelectorAll('article')]
  if (!form || articles.length === 0) return
  const { search, kind, action, person, danger } = form.elements
  const said = form.querySelector('output')
  const texts = new Map()
  const textOf = (article) => {
    let text = texts.get(article)
    if (text === undefined) texts.set(article, (text = article.textContent.toLowerCase()))
    return text
  }
  const number = new Intl.NumberFormat('en')
  const filter = () => {
    const words = [search.value, person.value].map((word) => word.trim().toLowerCase()).filter((word) => word !== '')
    let shown = 0
    for (const article of articles) {
      const { k, a, d } = article.dataset
      const isShown = (kind.value === '' || k === kind.value) && (action.value === '' || a === action.value) &&
        (!danger.checked || d !== undefined) && words.every((word) => textOf(article).includes(word))
      if (article.hidden === isShown) article.hidden = !isShown
      if (isShown) shown++
    }
    for (const group of document.querySelectorAll('.group')) group.hidden = !group.querySelector('article:not([hidden])')
    said.textContent = shown === articles.length ? number.format(shown) + ' changes' : number.format(shown) + ' of ' + number.format(articles.length) + ' changes'
  }
  let wait
  form.addEventListener('input', (event) => {
    clearTimeout(wait)
    wait = setTimeout(filter, event.target.type === 'search' || event.target.list ? 120 : 0)
  })
  form.addEventListener('submit', (event) => event.preventDefault())
  form.querySelector('button').addEventListener('click', () => {
    form.reset()
    filter()
    search.focus()
  })
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.open = true
      details.dataset.shut = ''
    }
  })
  addEventListener('afterprint', () => {
    for (const details of document.querySelectorAll('details[data-shut]')) {
      details.open = false
      delete details.dataset.shut
    }
  })
  const openTarget = () => {
    const details = location.hash.length > 1 && document.getElementById(location.hash.slice(1))?.querySelector('details')
    if (details) details.open = true
  }
  addEventListener('hashchange', openTarget)
  openTarget()
  form.hidden = false
  filter()
})()
`
