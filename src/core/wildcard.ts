// Patterns with `*`, `**` and `?`: the one matcher of `--only`, `protect`, `prune`, `accounts.external` and of file names.
// Own code: what packages offer turns a pattern into a regular expression, and a few stars over a text that almost matches
// then take minutes. RE2 would not, and takes longer to load than all of `validate`.

/** Signs are code points; these stand for what is not one. */
const one = -1
const run = -2
const runOfAll = -3

const slash = 47
const star = 42
const questionMark = 63

/**
 * Turns a pattern into a test, whose time is in proportion to the text and the pattern. `*` stands for any text, `?` for one
 * character. `isAddress`: neither goes beyond a slash, only `**` does, and what lies below a match matches as well.
 */
export function wildcardMatcher(pattern: string, isAddress: boolean): (text: string) => boolean {
  const signs = signsOf(pattern, isAddress)
  const end = signs.length
  const wild = signs.findIndex((sign) => sign < 0)
  const prefixLength = wild < 0 ? end : wild
  const prefix = String.fromCodePoint(...signs.slice(0, prefixLength))
  if (wild < 0) return (text) => text === prefix || (isAddress && text.startsWith(`${prefix}/`))
  // All places of the pattern where the text may have led, at once: none is gone back to.
  const entered = new Uint32Array(end + 1)
  let turn = 0
  const enter = (places: number[], first: number): void => {
    for (let place = first; entered[place] !== turn; place++) {
      entered[place] = turn
      places.push(place)
      // A run may be empty.
      if ((signs[place] ?? 0) > one - 1) return
    }
  }
  return (text) => {
    if (!text.startsWith(prefix)) return false
    turn++
    let places: number[] = []
    enter(places, prefixLength)
    for (let index = prefix.length; index < text.length; ) {
      const sign = text.codePointAt(index) as number
      index += sign > 0xffff ? 2 : 1
      const isStop = isAddress && sign === slash
      if (isStop && entered[end] === turn) return true
      turn++
      const next: number[] = []
      for (const place of places) {
        const wanted = signs[place]
        if (wanted === runOfAll || (wanted === run && !isStop)) enter(next, place)
        else if (wanted === sign || (wanted === one && !isStop)) enter(next, place + 1)
      }
      if (next.length === 0) return false
      places = next
    }
    return entered[end] === turn
  }
}

function signsOf(pattern: string, isAddress: boolean): number[] {
  const signs: number[] = []
  const points = Array.from(pattern, (char) => char.codePointAt(0) as number)
  for (let index = 0; index < points.length; index++) {
    const point = points[index] as number
    if (point === star && isAddress && points[index + 1] === star) {
      signs.push(runOfAll)
      index++
    } else signs.push(point === star ? run : point === questionMark ? one : point)
  }
  return signs
}
