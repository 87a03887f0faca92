// The line of progress is redrawn at most every 80 ms, and is never older than that.
import { expect, it } from 'vitest'
import { redrawnLine } from '../../src/cli/terminal/console.ts'

function withClock() {
  const written: string[] = []
  let nowMs = 0
  let due: { readonly atMs: number; act(): void } | undefined
  const line = redrawnLine((text) => written.push(text), {
    nowMs: () => nowMs,
    later: (act, delayMs) => {
      due = { atMs: nowMs + delayMs, act }
      return () => {
        due = undefined
      }
    },
  })
  const pass = (ms: number): void => {
    nowMs += ms
    if (due === undefined || due.atMs > nowMs) return
    const { act } = due
    due = undefined
    act()
  }
  return { line, written, pass }
}

it('is drawn once for many events, with what is known by then', () => {
  const { line, written, pass } = withClock()
  let made = 0
  for (let count = 1; count <= 1000; count++)
    line.show(() => {
      made++
      return `${count} objects`
    })
  expect([made, written]).toEqual([1, ['1 objects']])
  pass(80)
  expect([made, written]).toEqual([2, ['1 objects', '\r\u001b[2K', '1000 objects']])
})

it('comes back below what is written meanwhile, and not behind its end', () => {
  const { line, written, pass } = withClock()
  line.show(() => 'a')
  line.erase()
  line.show(() => 'b')
  pass(80)
  line.show(() => 'c')
  line.end()
  pass(80)
  expect(written).toEqual(['a', '\r\u001b[2K', 'b', '\r\u001b[2K'])
})
