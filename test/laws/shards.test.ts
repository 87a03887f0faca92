// The law of shards: every target is in one of them, and a target that is added moves no other.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { filterByShard, parseShard, shardOf, shardOfJob } from '../../src/project/select-targets.ts'
import { tryLaw } from './law-runs.ts'

const targets = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 40 })
const named = (names: readonly string[]) => names.map((name) => ({ name }))

it('is a partition, and keeps what it had when targets come and go', async () => {
  await tryLaw(
    fc.asyncProperty(targets, targets, fc.integer({ min: 1, max: 12 }), async (names, others, of) => {
      const shards = Array.from({ length: of }, (_, index) => filterByShard(named(names), { index: index + 1, of }))
      expect(
        shards
          .flat()
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...names].sort())
      const more = named([...new Set([...others, ...names])])
      for (const [index, before] of shards.entries()) {
        const after = filterByShard(more, { index: index + 1, of })
        expect(
          after
            .filter(({ name }) => names.includes(name))
            .map(({ name }) => name)
            .sort(),
        ).toEqual(before.map(({ name }) => name).sort())
      }
    }),
    4,
  )
})

it('moves to a new shard alone what that one takes', () => {
  const names = Array.from({ length: 300 }, (_, index) => `customer-${index}`)
  const moved = names.filter((name) => shardOf(name, 8) !== shardOf(name, 9))
  expect(moved.every((name) => shardOf(name, 9) === 9)).toBe(true)
  const sizes = Array.from({ length: 8 }, (_, index) => filterByShard(named(names), { index: index + 1, of: 8 }).length)
  expect(Math.min(...sizes)).toBeGreaterThan(20)
  expect(Math.max(...sizes)).toBeLessThan(60)
})

it.each(['0/8', '9/8', '3', '3/0', 'a/b', '-1/8', '1/99999'])('%s is no shard', (text) => {
  expect(() => parseShard(text)).toThrow('is no shard')
})

it('is that of an indexed job, which counts from 0', () => {
  expect(shardOfJob({ JOB_COMPLETION_INDEX: '0', SVCSYNC_SHARDS: '8' })).toEqual({ index: 1, of: 8 })
  expect(shardOfJob({ JOB_COMPLETION_INDEX: '7' })).toBeUndefined()
  expect(() => shardOfJob({ SVCSYNC_SHARDS: '8' })).toThrow('JOB_COMPLETION_INDEX')
  expect(() => shardOfJob({ JOB_COMPLETION_INDEX: '8', SVCSYNC_SHARDS: '8' })).toThrow('is no shard')
})
