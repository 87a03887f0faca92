// A platform, or something before it, that turns hostile in the middle of an apply: the report says nothing that is not
// so, and the journal can be gone on with once it is itself again.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { beginJournal } from '../../src/journal/journal.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { applyRun } from '../../src/runs/plan/apply-run.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { withEnoughTime } from '../harness/any-speed.ts'
import { resume } from '../harness/journals.ts'
import { untruths } from '../harness/report-truth.ts'
import { sharedOut } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { drip, flood, json, type RawRequest, startRawServer } from './raw-server.ts'

const tenant = {
  users: [
    { svcId: 'jan@example.com', name: 'Jan' },
    { svcId: 'old@example.com', name: 'Old' },
  ],
  groups: [{ svcId: 'staff@example.com', name: 'Staff', members: ['old@example.com', 'jan@example.com'] }],
  databases: [
    {
      id: 1,
      constants: [{ name: 'Url', common: 'old' }],
      connections: [{ name: 'ERP', type: 'SQL', sql: { common: { server: 'old' } } }],
      applications: [{ name: 'A', processes: [{ name: 'P' }] }],
    },
  ],
}
const manifest = `database: main
users:
  - { svcId: a@example.com, name: A }
  - { svcId: b@example.com, name: B, managerSvcId: a@example.com }
  - { svcId: jan@example.com, jobTitle: Clerk }
  - { svcId: old@example.com, absent: true }
groups:
  - { svcId: g@example.com, name: G, members: [a@example.com] }
  - { svcId: staff@example.com, members: [jan@example.com, b@example.com] }
constants:
  - { name: Url, common: new }
  - { name: New, common: x }
connections:
  - { name: ERP, type: SQL, sql: { common: { server: new, password: "\${env:SECRET}" } } }
processes:
  - { process: P, privileges: { Start: [g@example.com, jan@example.com] } }
`

type Hostile = (socket: Socket, asked: RawRequest) => void
const sends =
  (bytes: Buffer | string, end = false): Hostile =>
  (socket) => {
    socket.write(bytes)
    if (end) socket.end()
  }
const user = { svcId: 'stranger@example.com', name: 'Stranger', status: 'Synchronized' }
const whole = {
  ...user,
  email: null,
  phoneNumber: null,
  managerSvcId: null,
  jobTitle: null,
  members: null,
  owners: null,
}
const own = (type: string): string => JSON.stringify({ type, description: 'no', errorGuid: 'e' })

/** The effect that such an answer tells: done, refused, or nothing. */
type Said = 'done' | 'refused' | 'nothing'
const lists = (value: unknown) =>
  JSON.stringify(
    Object.fromEntries(['users', 'groups', 'constants', 'connections', 'privileges'].map((key) => [key, value])),
  )
const behaviours: readonly (readonly [string, Said, Hostile])[] = [
  ['goes away', 'nothing', (socket) => void socket.destroy()],
  ['hangs', 'nothing', () => undefined],
  ['drips', 'nothing', (socket) => drip(socket, 'H')],
  [
    'switches protocols',
    'nothing',
    sends('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ],
  ['floods hints', 'nothing', (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ['shows a web page', 'nothing', sends(json('<!doctype html><p>Sign in', 'Content-Type: text/html\r\n'))],
  ...[500, 502, 503, 504].map(
    (status) => [`says ${status}`, 'nothing', sends(json(own('InvalidData'), '', `${status} No`))] as const,
  ),
  ['sends a body without end', 'done', (socket) => flood(socket, json('', 'Content-Length: 99999999999\r\n'))],
  ['sends a bomb', 'done', sends(json(gzipSync(Buffer.alloc(5_000_000, 0x20)), 'Content-Encoding: gzip\r\n'))],
  ['breaks off', 'done', sends(json('{"svcId":', 'Content-Length: 100\r\n'), true)],
  ['says an empty text', 'done', sends(json(''))],
  ['says null', 'done', sends(json('null'))],
  ['says {}', 'done', sends(json('{}'))],
  ['says a list', 'done', sends(json('[]'))],
  ['speaks of another object', 'done', sends(json(JSON.stringify(whole)))],
  ['speaks of empty lists', 'done', sends(json(lists([])))],
  ['speaks of null lists', 'done', sends(json(lists(null)))],
  ['answers twice', 'done', sends(Buffer.concat([json(JSON.stringify(whole)), json(JSON.stringify(whole))]))],
  ['redirects', 'refused', sends('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n')],
  ...[400, 401, 403, 404, 405, 409, 423, 429].map(
    (status) => [`says ${status}`, 'refused', sends(json(own('InvalidData'), '', `${status} No`))] as const,
  ),
  ['says 404 as its own', 'refused', sends(json(own('ResourceNotFound'), '', '404 Not Found'))],
  ['is locked', 'refused', sends(json(own('ResourceIsLocked'), '', '409 Conflict'))],
  ['wants a pause of years', 'refused', sends(json('', 'Retry-After: 99999999999\r\n', '503 Unavailable'))],
]
const cases = behaviours.flatMap(([name, said, hostile]) =>
  [1, 4, 9].flatMap((at) =>
    [true, false].flatMap((reaches) => {
      // A platform that says to have done what it has not, or the other way round, is believed: docs/security.md says
      // so.
      const isLie = (said === 'done' && !reaches) || (said === 'refused' && reaches)
      return isLie ? [] : [true, false].map((goesOn) => ({ name, hostile, at, reaches, goesOn }))
    }),
  ),
)

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: { SECRET: 'a secret that nobody may see' },
    behaviour: { duplicateNames: 'accepted', managerMustExist: true },
    settings:
      'settings: { maxAnswerMb: 1, retry: { attempts: 2, maxDelay: 10ms }, sync: { timeout: 300ms } }\n' +
      'guards: { deletions: { percent: 100 }, removals: { percent: 100 } }',
  })
  workspace.manifest(manifest)
})
afterAll(() => workspace.close())

/** The platform behind a front that turns hostile with a write: for one answer, or from then on. */
async function openFront(hostile: Hostile, at: number, reaches: boolean, goesOn: boolean) {
  let writes = 0
  let isItself = true
  let hostilities = 0
  const forward = async ({ method, path, head, body }: RawRequest, socket?: Socket): Promise<void> => {
    const given = /^authorization: *(.*)$/im.exec(head)?.[1]
    const type = /^content-type: *(.*)$/im.exec(head)?.[1] ?? 'application/json'
    const accept = /^accept: *(.*)$/im.exec(head)?.[1] ?? '*/*'
    const headers = { accept, 'content-type': type, ...(given !== undefined && { authorization: given }) }
    const text = Buffer.from(body, 'latin1')
    const url = `${workspace.emulator.url}${path}`
    const answer = await fetch(url, { method, headers, ...(method !== 'GET' && { body: text }) })
    const bytes = Buffer.from(await answer.arrayBuffer())
    socket?.write(json(bytes, '', `${answer.status} ${answer.statusText}`))
  }
  const server = await startRawServer(
    (asked, socket) => {
      const isWrite = asked.method !== 'GET'
      if (isWrite && ++writes === at) isItself = false
      const isHostile = !isItself && (goesOn || (isWrite && writes === at && hostilities === 0))
      if (!isHostile) return void forward(asked, socket)
      hostilities++
      const then = isWrite && reaches ? forward(asked) : Promise.resolve()
      void then.then(() => hostile(socket, asked))
    },
    { token: (asked, socket) => void forward(asked, socket) },
  )
  return { ...server, calm: () => (isItself = true) }
}

let next = 0
it.each(sharedOut(cases, 0, 11))('$name at write $at, reaches: $reaches, goes on: $goesOn', (each) =>
  // On a busy machine, a write that is on its way for longer than that is one that never arrived, and is sent again.
  withEnoughTime(300, (timeoutMs) => turnsHostile(each, timeoutMs)),
)

async function turnsHostile(each: (typeof cases)[number], timeoutMs: number): Promise<void> {
  workspace.emulator.load(tenant as never)
  const front = await openFront(each.hostile, each.at, each.reaches, each.goesOn)
  try {
    const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    workspace.write('svcsync.yaml', project.replace(/baseUrl: .*/, `baseUrl: ${front.url}`))
    await workspace.control('DELETE', '/requests')
    const opened = workspace.open({ concurrency: 3 })
    const reader = connect(opened.project, { version: 'test', env: {} })
    const planned = await planRun(opened, reader, {
      only: [],
      version: 'test',
      createdAt: '2026-01-01T00:00:00.000Z',
    }).finally(() => reader.close())
    const client = connect(opened.project, { version: 'test', env: {}, timeoutMs })
    const judged = { ...planned, plan: { ...planned.plan, guards: [] } }
    const file = `j${next++}.jsonl`
    const place = { path: join(workspace.dir, file), shown: file, clock: Date.now }
    const report: ApplyReport = await applyRun(opened, client, judged, {
      stop: new AbortController().signal,
      journal: (run) => beginJournal(place, run),
    }).finally(() => client.close())
    const { steps } = planned.plan
    expect(untruths(report, steps, writesOf(workspace.emulator))).toEqual([])
    expect(report.steps).toHaveLength(steps.length)
    expect(JSON.stringify(report)).not.toContain('a secret that nobody may see')
    front.calm()
    if (report.outcome === 'converged') return expect(await workspace.changes()).toEqual([])
    const resumed = await resume(workspace, file, { concurrency: 3 })
    expect(resumed.report).toMatchObject({ outcome: 'converged', counts: { failed: 0, skipped: 0, unknown: 0 } })
    expect(await workspace.changes()).toEqual([])
  } finally {
    await front.close()
  }
}
