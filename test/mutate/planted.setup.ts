// Beside every test file while faults are planted: which of them is on, and which of them each test came upon.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    readonly planted: number
    /** How many there are. */
    readonly faults: number
    readonly survey: string
  }
}

/**
 * The faults that tests of a file reached, by the test's id; under '', faults reached while none ran, as modules are
 * loaded.
 */
export type Hits = Readonly<Record<string, readonly number[]>>

const planted = inject('planted')
const isSurvey = planted < 0
const hits = new Map<string, Uint8Array>([['', new Uint8Array(inject('faults'))]])
/** The running tests, which may be several: each of them counts. */
let marked = [...hits.values()]
const running = new Map<string, Uint8Array>()

/** Called for each condition and each number of a run: as little as can be. */
function come(number: number): boolean {
  for (const marks of marked) marks[number] = 1
  return false
}
function mark(): void {
  marked = running.size === 0 ? [...hits.values()].slice(0, 1) : [...running.values()]
}
Object.assign(globalThis, { isPlanted: isSurvey ? come : (number: number): boolean => number === planted })

// The failure of a law matters, not its smallest case.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })

if (isSurvey) {
  beforeEach(({ task }) => {
    const marks = new Uint8Array(inject('faults'))
    hits.set(task.id, marks)
    running.set(task.id, marks)
    mark()
  })
  afterEach(({ task }) => {
    running.delete(task.id)
    mark()
  })
  afterAll(() => {
    const { testPath = '' } = expect.getState()
    const numbersOf = (marks: Uint8Array): number[] => [...marks.keys()].filter((number) => marks[number] === 1)
    const found: Hits = Object.fromEntries([...hits].map(([id, marks]) => [id, numbersOf(marks)]))
    writeFileSync(join(inject('survey'), testPath.replaceAll('/', '%')), JSON.stringify(found))
  })
}
