// Laws of the access that a plan foretells, on random installations: the emulator's own state says whether it came
// true.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { accessRun } from '../../src/runs/access/access-run.ts'
import { driftAccessRun } from '../../src/runs/access/drift-access-run.ts'
import { exceptionsEdit, writeExceptions } from '../../src/runs/edit/except-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { withPolicies } from '../../src/runs/open/with-policies.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations as all } from './arbitraries.ts'
import { type Held, holds, same } from './holds.ts'
import { tryLaw } from './law-runs.ts'
import {
  accountIds,
  applicationLevels,
  companies,
  declaring,
  groupIds,
  managedLevels,
  nothing,
  secrets,
  tenantOf,
  userIds,
  writeManifests,
} from './world.ts'

/** Nobody stands in for anybody: that is walked by the platform's own state, which `holds` does not. */
const situations = all.map(({ live, items }) => ({
  live: { ...live, substitutions: [] },
  items: items.filter(({ section }) => section !== 'substitutions'),
}))

/** The levels of each kind that has any. */
const everything: Readonly<Record<string, readonly string[]>> = {
  'application/main/A': applicationLevels,
  'process/main/A/P': [...managedLevels, 'ManageArchive'],
  'process/main/A/P/workflow/W/form-type/F': [...managedLevels, 'ManageArchive'],
}

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
})
afterAll(() => workspace.close())

it('comes true: gained access is there after the apply and was not before, lost access the reverse', async () => {
  const seen = new Set<string>()
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const before = (await workspace.control('GET', '/state')) as Tenant
      const { planned, report } = await workspace.run()
      const after = (await workspace.control('GET', '/state')) as Tenant
      const { access, counts } = planned.document
      if (access === undefined || !/^(converged|nothing-to-do)$/.test(report.outcome)) return
      expect([counts.gained, counts.lost, counts.unknown]).toEqual([
        ...[access.gained.length, access.lost.length, access.unknown.length],
      ])
      const told = (entries: readonly AccessEntry[], tenant: Tenant) =>
        entries.filter(({ subject }) => subject !== null).map((entry) => [holds(tenant, entry), entry])
      const all = (entries: readonly AccessEntry[], is: boolean) =>
        entries.filter(({ subject }) => subject !== null).map((entry) => [is, entry])
      for (const [name, was, is] of [
        ['gained', false, true],
        ['lost', true, false],
        ['changed', true, true],
      ] as const) {
        for (const { unseen } of access[name]) seen.add(`${name}${unseen === undefined ? '' : ', perhaps'}`)
        expect([name, told(access[name], before)]).toEqual([name, all(access[name], was)])
        expect([name, told(access[name], after)]).toEqual([name, all(access[name], is)])
      }
      // Access that may exist already exists after the apply, and access that may stay existed before.
      for (const may of ['gain', 'lose'] as const) {
        const entries = access.unknown.filter((entry) => entry.may === may)
        if (entries.length > 0) seen.add(`may ${may}`)
        expect([may, told(entries, may === 'gain' ? after : before)]).toEqual([may, all(entries, true)])
      }
      // The forecast has come true, so a plan has nothing more to report.
      const again = (await workspace.plan()).document
      expect([again.access?.gained, again.access?.lost, again.access?.changed]).toEqual([[], [], []])
    }),
    2,
  )
  expect([...seen].sort()).toEqual(expect.arrayContaining(['gained', 'lost']))
})

it('leaves nothing out that changes on a declared object, by default, through any undeclared groups', async () => {
  let between = 0
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const before = (await workspace.control('GET', '/state')) as Tenant
      const { planned, report } = await workspace.run()
      if (!/^(converged|nothing-to-do)$/.test(report.outcome)) return
      const after = (await workspace.control('GET', '/state')) as Tenant
      const { access, changes } = { access: planned.document.access, changes: planned.plan.changes }
      const said = new Set(
        [access?.gained, access?.lost, access?.unknown].flatMap((entries = []) =>
          entries.map(({ subject, level, address }) => `${subject?.toLowerCase()} ${level} ${address}`),
        ),
      )
      const declared = new Set(items.map((item) => String(item.item.svcId ?? '').toLowerCase()))
      between += access?.gained.filter(({ via }) => via.some((each) => !declared.has(each.toLowerCase()))).length ?? 0
      const isRead = (address: string): boolean =>
        changes.some((change) => change.address === address && change.live?.collections.privileges !== undefined)
      for (const [address, levels] of Object.entries(everything).filter(([each]) => isRead(each))) {
        for (const subject of [...userIds, ...accountIds]) {
          for (const level of levels) {
            const held = (tenant: Tenant) =>
              [null, ...companies].map((company) =>
                holds(tenant, { subject, level, address, company, via: [], kind: 'privilege' }),
              )
            const isSaid = said.has(`${subject.toLowerCase()} ${level} ${address}`)
            if (String(held(before)) !== String(held(after))) expect([subject, level, address, isSaid]).toContain(true)
          }
        }
      }
    }),
    2,
  )
  expect(between).toBeGreaterThan(0)
})

it('is told whole: each row is so on the platform, and there is one for all that anybody can do there', async () => {
  const ask = async (question: Parameters<typeof accessRun>[3]) => {
    const opened = await withPolicies(workspace.open())
    const client = connect(opened.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
    try {
      return await accessRun(opened, client, await workspace.plan(), question, {})
    } finally {
      await client.close()
    }
  }
  let rowsSeen = 0
  await tryLaw(
    fc.asyncProperty(situations, async ({ live, items }) => {
      workspace.emulator.load(tenantOf(live))
      writeManifests(workspace, [items])
      const tenant = (await workspace.control('GET', '/state')) as Tenant
      const { rows, unread } = await ask({})
      expect(unread).toEqual([])
      rowsSeen += rows.length
      const now = rows.filter((row) => row.live)
      expect(now.filter((row) => !holds(tenant, row))).toEqual([])
      const told = new Set(now.map(({ subject, level, address }) => `${subject?.toLowerCase()} ${level} ${address}`))
      const people = [...userIds, ...accountIds].filter(
        (svcId) => !live.groups.some((group) => same(group.svcId, svcId)),
      )
      for (const subject of people) {
        for (const [address, levels] of Object.entries(everything)) {
          for (const level of levels) {
            const any = [null, ...companies].some((company) =>
              holds(tenant, { subject, level, address, company, via: [], kind: 'privilege' }),
            )
            expect([subject, level, address, told.has(`${subject.toLowerCase()} ${level} ${address}`)]).toEqual([
              ...[subject, level, address, any],
            ])
          }
        }
      }
      const [first] = now
      if (first === undefined) return
      const one = await ask({ person: String(first.subject), address: first.address })
      expect(one.rows).toEqual(
        rows.filter((row) => row.subject === first.subject && row.address.startsWith(first.address)),
      )
    }),
    0.5,
  )
  expect(rowsSeen).toBeGreaterThan(0)
})

it('finds no undeclared access after applies on empty installations, and strangers once until accepted', async () => {
  const [day, until] = [Date.parse('2026-02-01T00:00:00Z'), Date.parse('2026-03-01T00:00:00Z')]
  const driftAt = async (nowMs: number) => {
    const read = workspace.open({ nowMs })
    expect(read.exceptions.problems).toEqual([])
    const client = connect(read.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
    try {
      const found = await driftAccessRun(read, client, await workspace.plan({ nowMs }), undefined)
      expect(found.unread).toEqual([])
      return { ...found, open: found.judged.open, read }
    } finally {
      await client.close()
    }
  }
  const said = (entries: readonly AccessEntry[]) =>
    entries.map(({ subject, level, address, company }) => `${subject} ${level} ${address} ${company}`).sort()
  let found = 0
  await tryLaw(
    fc.asyncProperty(situations, fc.nat(), fc.nat(), async ({ live }, group, level) => {
      rmSync(join(workspace.dir, 'exceptions.yaml'), { force: true })
      workspace.emulator.load(tenantOf(nothing))
      writeManifests(workspace, [declaring(live)])
      const { report } = await workspace.run({ nowMs: day })
      if (!/^(converged|nothing-to-do)$/.test(report.outcome)) return
      const before = said((await driftAt(day)).open)
      // An entry that every installation of these laws has.
      expect(before.filter((each) => !each.startsWith('a0@corp.example.com ManageArchive '))).toEqual([])
      const tenant = (await workspace.control('GET', '/state')) as { [key in 'users' | 'groups']: unknown[] } & Tenant
      const stranger = 'stranger@example.com'
      const groups = tenant.groups as { svcId: string; members: string[] }[]
      const hand = { svcId: 'by-hand@example.com', name: 'By hand', members: [stranger] }
      groups[group % Math.max(1, groups.length)]?.members.push(hand.svcId)
      groups.push(hand as never)
      tenant.users.push({ svcId: stranger, name: 'Stranger' })
      const [database] = tenant.databases as unknown as [{ applications: [{ privileges: Held[] }] }]
      database.applications[0].privileges.push({
        ...{ svcId: hand.svcId, level: applicationLevels[level % applicationLevels.length] as string },
      })
      workspace.emulator.load(tenant)
      const drift = await driftAt(day)
      const theirs = drift.open.filter(({ subject }) => subject === stranger)
      found += theirs.length
      expect(new Set(said(theirs)).size).toBe(theirs.length)
      const held = new Set(theirs.map(({ level, address }) => `${level} ${address}`))
      for (const [address, levels] of Object.entries(everything)) {
        for (const each of levels) {
          const any = [null, ...companies].some((company) =>
            holds(tenant, { subject: stranger, level: each, address, company, via: [], kind: 'privilege' }),
          )
          expect([each, address, held.has(`${each} ${address}`)]).toEqual([each, address, any])
        }
      }
      const wanted = drift.open.map(({ subject, level, address: object, company }) => ({
        ...{ person: String(subject), level: String(level), object, company: company ?? undefined },
        ...{ target: drift.read.project.targetName, until: '2026-02-28', reason: 'Law' },
      }))
      writeExceptions(drift.read, exceptionsEdit(drift.read, wanted))
      const accepted = await driftAt(until - 1)
      expect([accepted.open, accepted.judged.idle]).toEqual([[], []])
      const over = await driftAt(until)
      expect(said(over.open)).toEqual(said(drift.open))
      expect(said(over.judged.expired.map(({ entry }) => entry))).toEqual(said(drift.open))
    }),
    0.3,
  )
  rmSync(join(workspace.dir, 'exceptions.yaml'), { force: true })
  expect(found).toBeGreaterThan(0)
})

it('costs one request an undeclared account at most, none of a declared one, none if the project says so', async () => {
  const silent = await openWorkspace({ env: secrets, settings: 'access: none' })
  try {
    const requestsOf = async (target: Workspace) => {
      await target.control('DELETE', '/requests')
      const { document } = await target.plan()
      const log = (await target.control('GET', '/requests')) as { requests: { method: string; path: string }[] }
      return { document, requests: log.requests.map(({ method, path }) => `${method} ${path}`).sort() }
    }
    let told = 0
    await tryLaw(
      fc.asyncProperty(situations, async ({ live, items }) => {
        for (const target of [workspace, silent]) {
          target.emulator.load(tenantOf(live))
          writeManifests(target, [items])
        }
        const with_ = await requestsOf(workspace)
        const without = await requestsOf(silent)
        const rest = [...with_.requests]
        for (const each of without.requests) rest.splice(rest.indexOf(each), 1)
        const accounts = rest.filter((each) => /^GET .*\/admin\/(group|user)s?$/.test(each))
        // Scopes requested one by one take a token each.
        const isToken = (each: string): boolean => /login|oauth2\/token/.test(each)
        expect(rest.filter((each) => !accounts.includes(each) && !isToken(each))).toEqual([])
        expect(accounts.length).toBeLessThanOrEqual(2 * (accountIds.length + userIds.length + groupIds.length))
        expect(with_.document.access?.requests ?? 0).toBeGreaterThanOrEqual(accounts.length)
        told += accounts.length
        expect(without.document.access).toMatchObject({
          ...{ mode: 'none', gained: [], lost: [], changed: [], unknown: [], unread: 0 },
          more: { gained: 0, lost: 0, changed: 0, unknown: 0 },
        })
      }),
      0.5,
    )
    expect(told).toBeGreaterThan(0)
  } finally {
    await silent.close()
  }
})
