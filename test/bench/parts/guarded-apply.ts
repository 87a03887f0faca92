// (g) What guards and preconditions cost: requests of an apply that takes something away, directly and from a saved
// plan, against the requests of the direct one that no guard asked for.
import { join } from 'node:path'
import type { BenchContext, Measure } from '../measure.ts'
import { organisationFolder, runCommand } from '../organisation.ts'
import { type PlatformProcess, startPlatform } from '../platform-process.ts'

interface Group {
  readonly svcId: string
  readonly members?: readonly string[]
}
interface State {
  readonly users: readonly { readonly svcId: string }[]
  readonly groups: readonly Group[]
}

/** Members added by hand to every fifth group, whose removal guards must judge. */
const everyFifth = 5
const data = '/api/data/'

export async function measureGuardedApply(context: BenchContext): Promise<readonly Measure[]> {
  const platform = await startPlatform(context.command, ['--tenant', join(organisationFolder(context), 'tenant.yaml')])
  const run = (...args: string[]) => runCommand(context, platform.url, args)
  try {
    await run('apply', '--yes', '--quiet')
    const drifted = withStrangers(await platform.control<State>('GET', '/state'))
    const plan = join(context.folder, 'guarded-plan.json')
    await platform.control('PUT', '/state', drifted)
    await run('plan', '--quiet', '--out', plan)
    const direct = await requestsOf(platform, drifted, () => run('apply', '--yes', '--quiet'))
    const saved = await requestsOf(platform, drifted, () => run('apply', plan, '--quiet'))
    // Guards read what the plan has read; the one thing they ask for is who applies.
    const forGuards = direct.filter(({ method, path }) => method === 'GET' && path.endsWith('/me')).length
    const writes = direct.filter(({ method, path }) => method !== 'GET' && path.includes(data)).length
    const bare = direct.length - forGuards
    if (forGuards === 0 || writes === 0) throw new Error('the apply that is measured asks no guard, or writes nothing')
    const measure = { part: 'g', limit: 1.1, unit: '×' } as const
    return [
      {
        ...measure,
        what: 'apply with guards: requests',
        value: direct.length / bare,
        from: `${direct.length} / ${bare}, ${writes} writes`,
      },
      {
        ...measure,
        what: 'apply of a saved plan, all it rests on read again: requests',
        value: saved.length / bare,
        from: `${saved.length} / ${bare}`,
      },
    ]
  } finally {
    await platform.close()
  }
}

function withStrangers(state: State): State {
  return {
    ...state,
    // In an order of their own: that of the platform is the one in which they came.
    groups: state.groups
      .toSorted((a, b) => (a.svcId < b.svcId ? -1 : 1))
      .map((group, index) => {
        const { members = [] } = group
        const stranger = state.users.find(({ svcId }) => !members.includes(svcId))
        // Small shares only: nothing is measured of an apply that is refused.
        if (index % everyFifth > 0 || members.length < everyFifth || stranger === undefined) return group
        return { ...group, members: [...members, stranger.svcId] }
      }),
  }
}

async function requestsOf(platform: PlatformProcess, state: State, run: () => Promise<unknown>) {
  await platform.control('PUT', '/state', state)
  await platform.emptyLog()
  await run()
  return platform.requests()
}
