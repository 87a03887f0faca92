// The one matcher of patterns, in linear time: as regular expressions, a few stars would take minutes.

/** Signs are code points; these are the others. */
const one = -1
const run = -2
const runOfAll = -3

const slash = 47
const star = 42
const questionMark = 63

/** `isAddress`: only `**` goes beyond a slash, and what lies below a match matches, too. */
export function wildcardMatcher(pattern: string, isAddress: boolean): (text: string) => boolean {
  const signs = signsOf(pattern, isAddress)
  const end = signs.length
  const wild = signs.findIndex((sign) => sign < 0)
  const prefixLength = wild < 0 ? end : wild
  const prefix = String.fromCodePoint(...signs.slice(0, prefixLength))
  if (wild < 0) return (text) => text === prefix || (isAddress && text.startsWith(`${prefix}/`))
  if (!isAddress && signs[wild] === run && signs.slice(wild + 1).every((sign) => sign >= 0)) {
    // `*@example.com`: asked about every account of a large project.
    const suffix = String.fromCodePoint(...signs.slice(wild + 1))
    const least = prefix.length + suffix.length
    return (text) => text.length >= least && text.startsWith(prefix) && text.endsWith(suffix)
  }
  // All places of the pattern where the text may have led, at once: none is gone back to.
  let places = new Int32Array(end + 1)
  let next = new Int32Array(end + 1)
  const entered = new Uint32Array(end + 1)
  let turn = 0
  const enter = (into: Int32Array, count: number, first: number): number => {
    let filled = count
    for (let place = first; entered[place] !== turn; place++) {
      entered[place] = turn
      into[filled++] = place
      // A run may be empty.
      if (place === end || (signs[place] as number) >= one) break
    }
    return filled
  }
  /** From so many places on by one sign; gives how many there are then. */
  const advance = (count: number, sign: number, isStop: boolean): number => {
    turn++
    let found = 0
    for (let at = 0; at < count; at++) {
      const place = places[at] as number
      const wanted = signs[place]
      if (wanted === sign || (wanted === one && !isStop)) found = enter(next, found, place + 1)
      else if (wanted === runOfAll || (wanted === run && !isStop)) found = enter(next, found, place)
    }
    const spare = places
    places = next
    next = spare
    return found
  }
  return (text) => {
    if (!text.startsWith(prefix)) return false
    turn++
    let count = enter(places, 0, prefixLength)
    for (let index = prefix.length; index < text.length && count > 0; index++) {
      let sign = text.charCodeAt(index)
      if (sign >= 0xd800 && sign < 0xdc00) {
        sign = text.codePointAt(index) as number
        if (sign > 0xffff) index++
      }
      const isStop = isAddress && sign === slash
      if (isStop && entered[end] === turn) return true
      count = advance(count, sign, isStop)
    }
    return count > 0 && entered[end] === turn
  }
}

function signsOf(pattern: string, isAddress: boolean): number[] {
  const signs: number[] = []
  const points = Array.from(pattern, (char) => char.codePointAt(0) as number)
  for (let index = 0; index < points.length; index++) {
    const point = points[index] as number
    const isOfAll = point === star && isAddress && points[index + 1] === star
    if (isOfAll) index++
    const sign = isOfAll ? runOfAll : point === star ? run : point === questionMark ? one : point
    // A run behind a run of the same sort says nothing more: thousands of stars would only take time.
    if (sign >= one || sign !== signs.at(-1)) signs.push(sign)
  }
  return signs
}
