// Answers are given out one in each turn of the event loop, in the order in which they came.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createHandOver } from '../../src/platform/client.ts'

it('gives out one in each turn, those that come meanwhile as well, and begins anew after a rest', async () => {
  const handOver = createHandOver()
  const given: string[] = []
  const ask = (name: string): void => void handOver().then(() => given.push(name))
  const afterATurn = async (): Promise<string> => {
    await turn()
    return given.join('')
  }
  ask('a')
  ask('b')
  expect(given).toEqual([])
  expect(await afterATurn()).toBe('a')
  ask('c')
  expect(await afterATurn()).toBe('ab')
  expect(await afterATurn()).toBe('abc')
  await turn()
  ask('d')
  expect(await afterATurn()).toBe('abcd')
})
