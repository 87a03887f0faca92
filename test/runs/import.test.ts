// Imports of packages on the emulator: in chunks, whatever is lost on the way, and never begun by half a package.
import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { brings, chunkSize, type ImportEvent, packageOf, useImports } from './import-fixture.ts'

const lab = useImports()
const { run, groupName, uploads } = lab

it('tells the log without the client secret', async () => {
  lab.workspace.emulator.addFault({
    match: { method: 'GET', path: '*/status' },
    effect: { kind: 'status', status: 200, body: { status: 1, logs: 'signed in with svcsync-secret, done' } },
  })
  expect((await run()).logs).toBe('signed in with [secret], done')
})

it('tells it without one that two looks show in part', async () => {
  const look = (body: JsonObject) => ({
    match: { method: 'GET', path: '*/status' },
    effect: { kind: 'status' as const, status: 200, body },
    times: 1,
  })
  lab.workspace.emulator.addFault(look({ status: 5, logs: 'signed in with svcsync-se' }))
  lab.workspace.emulator.addFault(look({ status: 1, logs: 'signed in with svcsync-secret, done' }))
  expect((await run()).logs).toBe('signed in with [secret], done')
})

it('brings what its configuration names, and tells the checksum and the log', async () => {
  const { report, logs } = await run()
  const content = packageOf({ brings })
  expect(report).toMatchObject({
    outcome: 'completed',
    bytes: content.length,
    chunks: Math.ceil(content.length / chunkSize),
    sha256: createHash('sha256').update(content).digest('hex'),
  })
  expect(groupName()).toBe('From the package')
  expect(logs).toContain('1 of 2 (upsertGroup): done')
  expect(logs).toContain('2 of 2 (upsertConstant): left out, since overwriteAllGlobalConstants is not set')
})

it('tells a package that is none, and one that cannot be done whole', async () => {
  writeFileSync(join(lab.workspace.dir, 'p.pkg'), 'no package at all')
  expect(await run()).toMatchObject({ report: { outcome: 'failed' }, logs: expect.stringContaining('is no package') })
  const edit = { deleteUser: 'nobody@example.com' }
  writeFileSync(join(lab.workspace.dir, 'p.pkg'), packageOf({ brings: [{ edit }, ...brings] }))
  expect((await run()).report.outcome).toBe('completed-with-errors')
  expect(groupName()).toBe('From the package')
})

const refusal = (status: number, body?: JsonObject) => ({ kind: 'status', status, ...(body && { body }) }) as never

describe('faults', () => {
  it.each([
    ['POST', '*/importsessions', true],
    ['POST', '*/importsessions/*/3', true],
    ['POST', '*/importsessions/*/3', false],
    ['PATCH', '*/importsessions/*', true],
    ['PATCH', '*/importsessions/*', false],
    ['GET', '*/status', true],
  ])('a lost answer to %s %s, carried out: %s', async (method, path, carriedOut) => {
    lab.workspace.emulator.addFault({ match: { method, path }, nth: 1, effect: { kind: 'reset', carriedOut } })
    // The session itself is what nobody can name: it is begun anew, and the other one stays without effect.
    const lostSession = path.endsWith('/importsessions')
    if (lostSession) await expect(run()).rejects.toMatchObject({ kind: 'lost' })
    const { report } = await run()
    expect(report.outcome).toBe('completed')
    expect(groupName()).toBe('From the package')
  })

  it('an answer that says no session, and one with a status that nobody knows', async () => {
    const answer = (path: string, method: string, body: JsonObject) =>
      lab.workspace.emulator.addFault({
        match: { method, path },
        nth: 1,
        effect: { kind: 'status', status: 200, body } as never,
      })
    // It becomes a segment of a path, and `--session` takes it again.
    for (const sessionId of [undefined, '', '.', '..', 'a/b', 'a b', 'a?b', 'a%2e', 'a\n', 'a'.repeat(201), 7]) {
      answer('*/importsessions', 'POST', sessionId === undefined ? {} : { sessionId })
      await expect(run()).rejects.toMatchObject({ code: 'SVC3096', hint: 'Nothing was imported.' })
      lab.workspace.emulator.clearFaults()
    }
    answer('*/status', 'GET', { status: 9, logs: '' })
    expect((await run()).report.outcome).toBe('completed')
  })

  it('a refused chunk ends it before anything is imported, and the session is gone on with', async () => {
    const fault = { kind: 'status', status: 403 } as const
    lab.workspace.emulator.addFault({ match: { method: 'POST', path: '*/importsessions/*/5' }, nth: 1, effect: fault })
    const events: ImportEvent[] = []
    await expect(run({ onEvent: (event) => events.push(event) })).rejects.toMatchObject({ status: 403 })
    expect(groupName()).toBe('Clerks')
    const session = events.flatMap((event) => (event.type === 'session' ? [event.id] : []))[0]
    const before = uploads().length
    const { report } = await run({ session })
    expect(report.outcome).toBe('completed')
    // The first one tells which is the next: four that are there are not sent again.
    expect(uploads().length - before).toBe(report.chunks - 3)
    // Nobody can say of them that they are of the file as it is now.
    expect(report.bytes - report.bytesSent).toBe(3 * chunkSize)
    expect(await run({ session })).toMatchObject({ report: { outcome: 'completed' } })
    expect(uploads().length - before).toBe(report.chunks - 3)
    // The platform refuses other chunks.
    const refusal = (status: number, type: string) =>
      ({ kind: 'status', status, body: { type, description: '', errorGuid: '' } }) as const
    const wrong = refusal(400, 'ImportException')
    lab.workspace.emulator.addFault({ match: { method: 'PATCH', path: '*/importsessions/*' }, nth: 1, effect: wrong })
    const open: ImportEvent[] = []
    await expect(run({ onEvent: (event) => open.push(event) })).rejects.toMatchObject({
      status: 400,
      hint: expect.stringContaining('Correct the configuration, and continue with'),
    })
    const [left] = open.flatMap((event) => (event.type === 'session' ? [event.id] : []))
    const others = { session: left, chunkSize: 64 }
    await expect(run(others)).rejects.toMatchObject({ code: 'SVC2187', hint: expect.stringContaining('same file') })
    // Nor where nobody can say which file and chunks it was begun with.
    await expect(run({ ...others, session: left?.split('.')[0] })).rejects.toMatchObject({
      type: 'ImportException',
      hint: expect.stringContaining('same'),
    })
    // One that ends while it is sent, or was begun with other chunks.
    const gone = refusal(404, 'ResourceNotFound')
    lab.workspace.emulator.addFault({ match: { method: 'POST', path: '*/importsessions/*/5' }, nth: 1, effect: gone })
    await expect(run()).rejects.toMatchObject({ status: 404, hint: expect.stringContaining('start again') })
  })
})

describe('faults', () => {
  it('a session of a longer file is not resumed with a shorter one, whose rest would count as sent', async () => {
    const next = { kind: 'status', status: 200, body: { nextChunkIndex: 30 } } as never
    lab.workspace.emulator.addFault({ match: { method: 'POST', path: '*/importsessions/*/1' }, nth: 1, effect: next })
    await expect(run()).rejects.toMatchObject({
      code: 'SVC2188',
      message: expect.stringContaining('asks for chunk 30'),
    })
    expect(groupName()).toBe('Clerks')
  })

  it('a session is not resumed with a changed file of the same size: half of each would be imported', async () => {
    const fault = { kind: 'status', status: 403 } as const
    lab.workspace.emulator.addFault({ match: { method: 'POST', path: '*/importsessions/*/5' }, nth: 1, effect: fault })
    const events: ImportEvent[] = []
    await expect(run({ onEvent: (event) => events.push(event) })).rejects.toMatchObject({ status: 403 })
    const [session] = events.flatMap((event) => (event.type === 'session' ? [event.id] : []))
    const before = uploads().length
    writeFileSync(join(lab.workspace.dir, 'p.pkg'), packageOf({ brings }).replace('Limit', 'Limes'))
    await expect(run({ session })).rejects.toMatchObject({
      code: 'SVC2187',
      message: expect.stringContaining('another'),
    })
    expect(uploads()).toHaveLength(before)
    writeFileSync(join(lab.workspace.dir, 'p.pkg'), packageOf({ brings }))
    expect((await run({ session })).report).toMatchObject({ outcome: 'completed', session })
  })

  it('what starts it and was carried out so late that it was sent again is no failure', async () => {
    const fault = (method: string, path: string, effect: unknown) =>
      lab.workspace.emulator.addFault({ match: { method, path }, nth: 1, effect } as never)
    fault('PATCH', '*/importsessions/*', { kind: 'reset', carriedOut: true })
    fault('GET', '*/status', { kind: 'status', status: 200, body: { status: 4, logs: '' } })
    expect((await run()).report.outcome).toBe('completed')
    expect(groupName()).toBe('From the package')
  })

  it('a log that makes no JSON of the status is shown, and the status is believed; a web page is not', async () => {
    const answers = (body: string, count: number | null = 1) =>
      lab.workspace.emulator.addFault({
        match: { method: 'GET', path: '*/status' },
        nth: 1,
        count,
        effect: { kind: 'text', body, contentType: 'application/json', status: 200 },
      } as never)
    answers('{"status":2,"logs":"the file "a.xml" \u0000 is\nbroken')
    const { report, logs } = await run()
    expect(report.outcome).toBe('completed-with-errors')
    expect(logs).toBe('the file "a.xml" \u0000 is\nbroken')
    // However long it is, it is told whole: no answer of this length is held.
    const long = 'a line of the log\n'.repeat(80_000)
    answers(JSON.stringify({ status: 1, logs: long }))
    const whole = await run()
    expect([whole.report.outcome, whole.logs.length]).toEqual(['completed', long.length])
    answers('<html>"status":1,"logs":""', null)
    let now = 0
    const pause = async (ms: number) => {
      now += ms
    }
    const unread = await run({ nowMs: () => now, pause, timeoutMs: 20_000 })
    expect(unread.report.outcome).toBe('unknown')
    expect(unread.events.map(({ type }) => type)).toContain('unread')
  })

  it('a file that changes meanwhile is not imported', async () => {
    const grow = (event: ImportEvent) => {
      if (event.type === 'sent' && event.chunk === 4) appendFileSync(join(lab.workspace.dir, 'p.pkg'), 'more')
    }
    await expect(run({ onEvent: grow })).rejects.toMatchObject({ code: 'SVC2187' })
    expect(groupName()).toBe('Clerks')
  })
})

describe('faults', () => {
  it('an interrupt in between imports nothing', async () => {
    const stop = new AbortController()
    const { report } = await run({
      stop: stop.signal,
      onEvent: (event) => event.type === 'sent' && event.chunk === 4 && stop.abort(),
    })
    expect(report.outcome).toBe('interrupted')
    expect(groupName()).toBe('Clerks')
  })

  it('a second interrupt ends at once what gets no answer', async () => {
    const hang = { match: { method: 'POST', path: '*/importsessions/*/5' }, nth: 1, effect: { kind: 'hang' } } as const
    lab.workspace.emulator.addFault(hang)
    const [stop, kill] = [new AbortController(), new AbortController()]
    const onEvent = (event: ImportEvent) => {
      if (event.type !== 'sent' || event.chunk !== 4) return
      const look = setInterval(() => {
        if (!uploads().some(({ path }) => path === `/api/data/v6.0${at}/5`)) return
        clearInterval(look)
        stop.abort()
        kill.abort()
      }, 5)
      const at = String(uploads().at(-1)?.path).replace(/^\/api\/data\/v6\.0|\/\d+$/g, '')
    }
    expect((await run({ stop: stop.signal, onEvent }, undefined, kill.signal)).report.outcome).toBe('interrupted')
    expect(groupName()).toBe('Clerks')
  })

  it.each([
    ['refuses to say how far it is', refusal(403)],
    ['says that nothing is there', refusal(404)],
    ['says that the session is missing', refusal(200, { status: 3, logs: '' })],
  ])('after it was started nothing claims that nothing was imported: the platform %s', async (_, effect) => {
    const status = { match: { method: 'GET', path: '*/status' }, nth: 1, count: null, effect }
    lab.workspace.emulator.addFault(status)
    expect((await run()).report.outcome).toBe('unknown')
    // Nor where the answer to what starts it was lost.
    const lost = { kind: 'reset', carriedOut: true } as const
    lab.workspace.emulator.addFault({ match: { method: 'PATCH', path: '*/importsessions/*' }, nth: 1, effect: lost })
    const { report, events } = await run()
    expect(report.outcome).toBe('unknown')
    expect(events.map(({ type }) => type)).not.toContain('started')
  })

  it('a session that was started before has no checksum of a file that nobody sent', async () => {
    const { session } = (await run()).report
    writeFileSync(join(lab.workspace.dir, 'p.pkg'), 'another one')
    expect((await run({ session })).report).toMatchObject({ outcome: 'completed', sha256: '', bytesPerSecond: null })
    for (const name of ['..', '', 'a/b'])
      await expect(run({ session: name })).rejects.toMatchObject({ code: 'SVC2188' })
  })

  it('a session that is gone, and a platform that does not end', async () => {
    await expect(run({ session: 'gone' })).rejects.toMatchObject({ code: 'SVC2188' })
    await lab.workspace.control('PATCH', '/settings', { syncDelayMs: 3_600_000 })
    let now = 0
    const pause = async (ms: number) => {
      now += ms
    }
    const clock = { nowMs: () => now, pause }
    expect((await run({ ...clock, timeoutMs: 20_000 })).report.outcome).toBe('unknown')
    await lab.workspace.control('PATCH', '/settings', { syncDelayMs: 0 })
  })
})
