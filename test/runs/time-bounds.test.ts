// Entries with bounds in time: outside its time an entry counts as not listed, and plans say what begins or ends soon.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boundMs, shownBound } from '../../src/core/model/time-bounds.ts'
import { renderPlanMarkdown, renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant, settings: 'settings: { timeZone: Europe/Warsaw }' })
})
afterAll(() => workspace.close())

const at = (text: string) => Date.parse(text)
const manifest = `groups:
  - svcId: clerks@example.com
    members:
      - jan.kos@example.com
      - { svcId: ewa.lis@example.com, from: 2026-11-01, until: 2026-11-30 }
processes:
  - process: Sample process
    privileges:
      Modify: [{ svcId: clerks@example.com, company: PL01, until: "2026-12-01T12:00:00+01:00" }]
`

const planned = async (nowMs: number) => {
  workspace.manifest(manifest)
  const { document } = await workspace.plan({ nowMs })
  const [members] = document.changes.flatMap(({ kind, differences }) => (kind === 'group' ? differences : []))
  return { members: members?.added?.map(({ svcId }) => svcId), upcoming: document.upcoming }
}

describe('an entry with bounds in time', () => {
  it('counts from the first moment of its first day to the last of its last, in the zone of the project', async () => {
    expect((await planned(at('2026-10-31T22:59:59Z'))).members).toEqual(['jan.kos@example.com'])
    expect((await planned(at('2026-10-31T23:00:00Z'))).members).toEqual(['ewa.lis@example.com', 'jan.kos@example.com'])
    expect((await planned(at('2026-11-30T22:59:59Z'))).members).toHaveLength(2)
    expect((await planned(at('2026-11-30T23:00:00Z'))).members).toEqual(['jan.kos@example.com'])
  })

  it('is announced for the 14 days before it begins and ends', async () => {
    expect((await planned(at('2026-10-17T00:00:00Z'))).upcoming).toEqual([])
    expect((await planned(at('2026-10-18T00:00:00Z'))).upcoming).toMatchObject([
      {
        event: 'begins',
        svcId: 'ewa.lis@example.com',
        at: '2026-10-31T23:00:00Z',
        shown: '2026-11-01',
        place: { line: 5 },
      },
    ])
    expect((await planned(at('2026-11-20T00:00:00Z'))).upcoming).toMatchObject([
      {
        event: 'ends',
        address: 'group/clerks@example.com',
        collection: 'members',
        at: '2026-11-30T23:00:00Z',
        shown: '2026-11-30',
      },
      {
        event: 'ends',
        level: 'Modify',
        at: '2026-12-01T11:00:00Z',
        shown: '2026-12-01T12:00+01:00',
        place: { line: 9 },
      },
    ])
  })

  it('is announced sooner where the base does not declare it so: later nobody reviews it', async () => {
    const run = { nowMs: at('2026-06-01T00:00:00Z'), base: 'folder' } as const
    const says = async (own: string, before: string) => {
      workspace.manifest(own)
      workspace.baseManifest(before)
      const { document } = await workspace.plan(run)
      const text = renderPlanText(document, { colour: false, width: 120, verbose: false })
      expect(text.includes('Begins or ends within 14 days, or later and new since')).toBe(document.upcoming.length > 0)
      expect(renderPlanMarkdown(document).includes('#### Begins or ends within 14 days, or later and new since')).toBe(
        document.upcoming.length > 0,
      )
      return document.upcoming.map(({ event, svcId, at }) => `${svcId} ${event} ${at.slice(0, 10)}`)
    }
    const later = manifest.replace('2026-11-30 }', '2026-12-30 }')
    const plain = manifest.replace(/ {6}- \{.*\n/, '')
    expect(await says(manifest, manifest)).toEqual([])
    expect(await says(manifest, plain)).toEqual(['ewa.lis@example.com begins 2026-10-31'])
    expect(await says(manifest, 'groups: []')).toEqual(['ewa.lis@example.com begins 2026-10-31'])
    expect(await says(later, manifest)).toEqual(['ewa.lis@example.com ends 2026-12-30'])
  })
})

describe('an entry with bounds in time', () => {
  it('is a warning where its end is taken out: the list is the same until that day', async () => {
    const warnings = async (own: string, before = manifest, nowMs = at('2026-11-10T00:00:00Z')) => {
      workspace.manifest(own)
      workspace.baseManifest(before)
      const { warnings } = (await workspace.plan({ nowMs, base: 'folder' })).document
      return warnings.filter(({ code }) => code === 'SVC2195').map(({ message, place }) => `${place?.line} ${message}`)
    }
    expect(await warnings(manifest)).toEqual([])
    expect(await warnings(manifest.replace(', until: 2026-11-30', ''))).toEqual([
      '5 `ewa.lis@example.com` stays in members now, although its time ended with 2026-11-30',
    ])
    const endless = manifest.replace(', until: "2026-12-01T12:00:00+01:00"', '')
    expect(await warnings(endless)).toEqual([
      '9 `clerks@example.com` stays in Modify now, although its time ended with 2026-12-01T12:00+01:00',
    ])
    expect(await warnings(manifest.replace('2026-11-30', '2027-01-31'))).toEqual([])
    expect(await warnings(manifest.replace(/ {6}- \{.*\n/, ''))).toEqual([])
    expect(await warnings(endless, manifest, at('2026-12-24T00:00:00Z'))).toEqual([])
  })

  it('is taken away when its time is over, with a warning that it can go', async () => {
    workspace.manifest(manifest)
    await workspace.apply({ nowMs: at('2026-11-10T00:00:00Z') })
    const { document } = await workspace.plan({ nowMs: at('2026-12-24T00:00:00Z') })
    expect(document.counts).toMatchObject({ removed: 2, added: 0 })
    expect(document.warnings).toMatchObject([
      { code: 'SVC1309', place: { line: 5 }, message: 'The entry of `ewa.lis@example.com` ended with 2026-11-30' },
      {
        code: 'SVC1309',
        place: { line: 9 },
        message: 'The entry of `clerks@example.com` ended with 2026-12-01T12:00+01:00',
      },
    ])
  })

  it.each([
    ['from: soon', 'SVC1310', '`from` is neither a date'],
    ['until: 2026-02-31', 'SVC1310', '`until` is neither a date'],
    ['from: "2026-11-01T08:00:00"', 'SVC1310', 'a moment with its offset'],
    ['from: 2026-12-01, until: 2026-11-01', 'SVC1310', 'not before'],
    [
      'from: "2026-12-01T00:00:00+01:00", until: "2026-11-30T23:00:00Z"',
      'SVC1310',
      '`from` is not before `until`: the entry of `a` never applies',
    ],
    ['from: 2026-02-29', 'SVC1310', '`from` is neither a date'],
    ['until: "2026-02-30T10:00:00Z"', 'SVC1310', '`until` is neither a date'],
    ['from: 0026-02-20', 'SVC1310', '`from` is neither a date'],
  ])('refuses `%s`', (bounds, code, message) => {
    workspace.manifest(`groups:\n  - { svcId: g, members: [{ svcId: a, ${bounds} }] }\n`)
    expect(workspace.open().problems).toMatchObject([{ code, message: expect.stringContaining(message) }])
  })
})

describe('a bound is shown', () => {
  it.each([
    ['2026-11-30', 'Europe/Warsaw', '2026-11-30'],
    ['2026-12-01T12:00:00+01:00', 'Europe/Warsaw', '2026-12-01T12:00+01:00'],
    ['2026-07-01T12:00:00Z', 'Europe/Warsaw', '2026-07-01T14:00+02:00'],
    ['2026-12-01T23:30:15+01:00', 'UTC', '2026-12-01T22:30:15Z'],
    ['2026-12-01T00:30:00.750Z', 'America/New_York', '2026-11-30T19:30-05:00'],
    ['2026-12-01T00:00:00Z', 'Asia/Kolkata', '2026-12-01T05:30+05:30'],
  ])('%s in %s', (text, zone, shown) => {
    expect(shownBound(text, zone)).toBe(shown)
    // A moment that is shown means the moment that was written, to the second.
    if (text.length > 10) expect(Math.floor(Date.parse(text) / 1000)).toBe(Date.parse(shown) / 1000)
  })

  it('as the narrower one wrote it, where a set has bounds of its own', async () => {
    workspace.manifest(`sets:
  helpers: [{ svcId: ewa.lis@example.com, until: "2026-11-25T10:00:00Z" }, { svcId: jan.kos@example.com, until: 2026-12-31 }]
groups:
  - svcId: clerks@example.com
    members: [{ set: helpers, from: 2026-11-01, until: 2026-11-30 }]
`)
    const { document } = await workspace.plan({ nowMs: at('2026-11-20T00:00:00Z') })
    expect(document.upcoming.map(({ svcId, shown }) => `${svcId} ${shown}`)).toEqual([
      'ewa.lis@example.com 2026-11-25T11:00+01:00',
      'jan.kos@example.com 2026-11-30',
    ])
  })
})

describe('a date', () => {
  it('begins at midnight of its zone, whatever the offset of the day', () => {
    const warsaw = (text: string, end = false) => new Date(boundMs(text, end, 'Europe/Warsaw') ?? 0).toISOString()
    expect(warsaw('2026-07-01')).toBe('2026-06-30T22:00:00.000Z')
    expect(warsaw('2026-12-01')).toBe('2026-11-30T23:00:00.000Z')
    // The days on which the clocks change.
    expect(warsaw('2026-03-29')).toBe('2026-03-28T23:00:00.000Z')
    expect(warsaw('2026-03-29', true)).toBe('2026-03-29T22:00:00.000Z')
    expect(warsaw('2026-10-25', true)).toBe('2026-10-25T23:00:00.000Z')
  })

  it('begins when its clocks show it first, also where they skip midnight or show it twice', () => {
    const begin = (text: string, timeZone: string) => new Date(boundMs(text, false, timeZone) ?? 0).toISOString()
    expect(begin('2026-03-08', 'America/Havana')).toBe('2026-03-08T05:00:00.000Z')
    expect(begin('2026-11-01', 'America/Havana')).toBe('2026-11-01T04:00:00.000Z')
    expect(begin('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z')
    // A day that was left out altogether.
    expect(begin('2011-12-30', 'Pacific/Apia')).toBe('2011-12-30T10:00:00.000Z')
  })

  it('is the day from its first moment to the last before the next one, in any zone', () => {
    const days = fc.integer({ min: Date.UTC(1995, 0) / 86_400_000, max: Date.UTC(2037, 0) / 86_400_000 })
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    fc.assert(
      fc.property(days, zones, (day, timeZone) => {
        const text = new Date(day * 86_400_000).toISOString().slice(0, 10)
        const [start, end] = [boundMs(text, false, timeZone) as number, boundMs(text, true, timeZone) as number]
        const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
        expect(format.format(start - 1) < text, 'before').toBe(true)
        expect(format.format(end) > text, 'after').toBe(true)
        if (start === end) return
        expect([format.format(start), format.format(end - 1)]).toEqual([text, text])
      }),
      { numRuns: 300 },
    )
  })
})

describe('what is announced is what will change', () => {
  const announced = async (manifest: string) => {
    workspace.manifest(manifest)
    const { document } = await workspace.plan({ nowMs: at('2026-11-20T00:00:00Z') })
    return document.upcoming.map(({ svcId, event }) => `${svcId} ${event}`)
  }

  it('though several places say what is in one list', async () => {
    const list = (entry: string) => `  - { group: clerks@example.com, members: [${entry}] }\n`
    const later = list('{ svcId: one@corp.example.com, from: 2026-11-25 }')
    expect(await announced(`memberships:\n${later}`)).toEqual(['one@corp.example.com begins'])
    for (const other of ['One@corp.example.com', '{ svcId: one@corp.example.com, until: 2026-11-30 }']) {
      expect(await announced(`memberships:\n${later}${list(other)}`)).toEqual([])
      expect(await announced(`memberships:\n${list(other)}${later}`)).toEqual([])
    }
    expect(await announced(`memberships:\n${later}${later}`)).toEqual(['one@corp.example.com begins'])
  })

  it('and nobody begins to be in a list that is only added to, and has them', async () => {
    workspace.manifest('groups: [{ svcId: clerks@example.com, members: [jan.kos@example.com] }]\n')
    await workspace.apply()
    const later = '{ svcId: Jan.Kos@example.com, from: 2026-11-25 }'
    expect(await announced(`memberships: [{ group: clerks@example.com, members: [${later}] }]\n`)).toEqual([])
    expect(await announced(`groups: [{ svcId: clerks@example.com, members: [${later}] }]\n`)).toEqual([
      'Jan.Kos@example.com begins',
    ])
  })
})

it('may be listed twice for times that do not overlap, and never for others, whatever the time is', () => {
  const problemsOf = (entries: string) => {
    workspace.manifest(`groups:\n  - { svcId: clerks@example.com, members: [${entries}] }\n`)
    return workspace
      .open({ nowMs: at('2026-01-01T00:00:00Z') })
      .problems.map(({ code, place }) => [code, place?.column])
  }
  const spring = '{ svcId: ewa.lis@example.com, from: 2026-03-01, until: 2026-05-31 }'
  expect(problemsOf(`${spring}, { svcId: ewa.lis@example.com, from: 2026-06-01 }`)).toEqual([])
  expect(problemsOf(`${spring}, { svcId: Ewa.lis@example.com, from: 2026-05-31 }`)).toEqual([['SVC1307', 113]])
  expect(problemsOf(`ewa.lis@example.com, ${spring}`)).toEqual([['SVC1307', 65]])
  expect(problemsOf(`${spring}, ewa.lis@example.com`)).toEqual([['SVC1307', 113]])
})

describe('a list that is only added to', () => {
  const wait = at('2026-11-20T00:00:00Z')

  it('gives for a time and takes it back when that is over, and nothing that others gave', async () => {
    workspace.manifest(`sets:
  helpers: [{ svcId: maria.wolska@example.com, until: 2026-11-10 }, jan.kos@example.com]
memberships:
  - group: clerks@example.com
    members: [{ svcId: ewa.lis@example.com, until: 2026-11-22 }, { set: helpers }]
processes:
  - process: Sample process
    manage: { privileges: additive }
    privileges:
      Start: [{ svcId: ewa.lis@example.com, company: PL01, until: 2026-11-22 }, jan.kos@example.com]
`)
    const before = await workspace.plan({ nowMs: wait })
    expect(before.document.warnings.map(({ code }) => code)).toEqual(['SVC1309'])
    expect(before.document.upcoming).toMatchObject([
      { svcId: 'ewa.lis@example.com', event: 'ends', shown: '2026-11-22', collection: 'members' },
      { svcId: 'ewa.lis@example.com', event: 'ends', shown: '2026-11-22', collection: 'privileges' },
    ])
    expect((await workspace.apply({ nowMs: wait })).outcome).toBe('converged')
    expect((await workspace.plan({ nowMs: wait })).document.changes).toEqual([])
    const { document } = await workspace.plan({ nowMs: at('2026-11-23T00:00:00Z') })
    expect(
      document.changes.flatMap(({ differences }) => differences.map(({ added, removed }) => [added, removed])),
    ).toMatchObject([
      [[], [{ svcId: 'ewa.lis@example.com' }]],
      [[], [{ svcId: 'ewa.lis@example.com', level: 'Start' }]],
    ])
    const [members] = document.changes.flatMap(({ differences }) => differences)
    expect(members?.outsideTime).toMatchObject([{ svcId: 'ewa.lis@example.com', event: 'ended', shown: '2026-11-22' }])
    expect((await workspace.apply({ nowMs: at('2026-11-23T00:00:00Z') })).outcome).toBe('converged')
    expect((await workspace.plan({ nowMs: at('2026-11-23T00:00:00Z') })).document.changes).toEqual([])
  })
})
