// What the pages share: how numbers are written, how many rows are shown at once, and when a search begins.
export const number = new Intl.NumberFormat('en')
export const step = 100

/** Once nobody types any more. Gives what calls it off. */
export const typed = (element, search) => {
  let wait
  element.addEventListener('input', () => {
    clearTimeout(wait)
    wait = setTimeout(search, 120)
  })
  return () => clearTimeout(wait)
}
