// A law that fails says so soon: with seed and path, whatever its cases take to shrink, and also where one hangs.
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { tryLaw } from './law-runs.ts'

const many = fc.array(fc.nat(), { minLength: 20, maxLength: 40 })
const messageOf = async (running: Promise<void>): Promise<string> => {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return `${(error as Error)?.message} ${((error as Error)?.cause as Error)?.message}`
}
const place = /seed: -?\d+, path: "\d+[\d:]*"/

it('shows a case that never ends, with its place, and tries no other on what it holds', async () => {
  const hang = vi.fn(() => new Promise<void>(() => {}))
  const message = await messageOf(tryLaw(fc.asyncProperty(many, hang), 1, { caseMs: 40, shrinkMs: 60_000 }))
  expect(message).toMatch(place)
  expect(message).toContain('This case did not end within 0.04 s')
  expect(hang).toHaveBeenCalledTimes(1)
})

it('looks for a smaller case only so long', async () => {
  const slowly = vi.fn(async (numbers: readonly number[]) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(numbers).toEqual([])
  })
  const message = await messageOf(tryLaw(fc.asyncProperty(many, slowly), 1, { caseMs: 60_000, shrinkMs: 100 }))
  expect(message).toMatch(place)
  expect(message).toContain('to deeply equal []')
  expect(slowly.mock.calls.length).toBeLessThan(10)
})

it('finds the smallest case where there is time, in laws that wait and in laws that do not', async () => {
  const limits = { caseMs: 60_000, shrinkMs: 60_000 }
  const small = (number: number) => number < 1000
  const numbers = fc.nat({ max: 1_000_000 })
  for (const law of [fc.property(numbers, small), fc.asyncProperty(numbers, async (number) => small(number))]) {
    const message = await messageOf(tryLaw<[number]>(law, 1, limits))
    expect(message).toMatch(place)
    expect(message).toContain('Counterexample: [1000]')
  }
})

it('tries every case that was asked for, however long they take together', async () => {
  const each = vi.fn(async () => {})
  await tryLaw(fc.asyncProperty(fc.nat(), each), 2.5, { caseMs: 60_000, shrinkMs: 0 })
  expect(each).toHaveBeenCalledTimes(Math.round(Number(process.env.SVCSYNC_LAW_RUNS ?? 6) * 2.5))
})
