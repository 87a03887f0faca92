// Shares targets out among processes: a target that is added moves no other.
import { createHash } from 'node:crypto'
import { OperatorError } from '@svcsync/errors/index.ts'

interface Shard {
  readonly index: number
  readonly of: number
}

/** More processes than that for one project are a slip. */
const mostShards = 10_000

/** `3/8`. Throws an OperatorError for anything else. */
export function parseShard(text: string): Shard {
  const [, index, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim()) ?? []
  const shard = { index: Number(index), of: Number(of) }
  if (shard.index >= 1 && shard.index <= shard.of && shard.of <= mostShards) return shard
  throw new OperatorError('SVC2324', `\`${text}\` is no shard`, {
    hint: 'Write it like `--shard 3/8`: from 1/8 to 8/8.',
  })
}

/** `JOB_COMPLETION_INDEX` of an indexed job of Kubernetes counts from 0; `SVCSYNC_SHARDS` says how many there are. */
export function shardOfJob(env: Readonly<Record<string, string | undefined>>): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, SVCSYNC_SHARDS: of } = env
  if (!of) return undefined
  if (!index) {
    throw new OperatorError('SVC2324', '`SVCSYNC_SHARDS` is set, but `JOB_COMPLETION_INDEX` is not', {
      hint: 'Use `completionMode: Indexed`, or `--shard`.',
    })
  }
  return parseShard(`${/^\d+$/.test(index) ? Number(index) + 1 : index}/${of}`)
}

/** The shard of a target, from 1: by its name alone. */
export function shardOf(target: string, of: number): number {
  let best = 1
  let most = ''
  for (let index = 1; index <= of; index++) {
    const weight = createHash('sha256').update(`${index}\u0000${target}`).digest('hex')
    if (weight > most) {
      best = index
      most = weight
    }
  }
  return best
}

export function inShard<Target extends { readonly name: string }>(
  targets: readonly Target[],
  shard: Shard | undefined,
): readonly Target[] {
  return shard === undefined ? targets : targets.filter(({ name }) => shardOf(name, shard.of) === shard.index)
}
