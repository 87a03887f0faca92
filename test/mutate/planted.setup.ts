// Beside every test file while faults are planted: which of them is on, and which of them the file came upon.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    readonly planted: number
    readonly hits: string
  }
}

const planted = inject('planted')
const hit = new Set<number>()
Object.assign(globalThis, {
  isPlanted: (number: number): boolean => {
    hit.add(number)
    return number === planted
  },
})

afterAll(() => {
  if (planted >= 0) return
  const { testPath = '' } = expect.getState()
  writeFileSync(join(inject('hits'), testPath.replaceAll('/', '%')), JSON.stringify([...hit]))
})
