// Shared by all pages: the format of numbers, the rows of a step, and the delay of a search.
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
