// `svcsync api` on the built command: any endpoint, with pages, names, refusals, and questions before a write.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const command = resolve(import.meta.dirname, '../../dist/svcsync.cjs')
const ids = Array.from({ length: 45 }, (_, index) => `user-${index}@example.com`)
let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    settings: 'settings: { maxAnswerMb: 1, retry: { maxDelay: 10ms } }',
    tenant: {
      users: ids.map((svcId) => ({ svcId, name: svcId })),
      databases: [{ id: 1, applications: [{ name: 'Purchasing', processes: [{ name: 'Invoice approval' }] }] }],
    } as never,
  })
})
afterAll(() => workspace.close())

const api = (...args: string[]) => runCommand(['api', ...args], workspace.dir, { ...workspace.env })

it('reads, with its prefix and without it', async () => {
  const bare = await api('GET', '/admin/users?size=2')
  expect(bare).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(bare.stdout).users).toHaveLength(2)
  const whole = await api('/api/data/v6.0/admin/users', '--query', 'size=2')
  expect(whole).toEqual(bare)
  // Letters of a path are encoded on the way.
  expect((await api('/admin/groups/zażółć')).stderr).toContain('There is no group "zażółć"')
})

it('reads a list to its last page, each item once', async () => {
  const { stdout, code } = await api('GET', '/admin/users', '--paginate', '--query', 'size=7')
  expect(code).toBe(0)
  const { users } = JSON.parse(stdout) as { users: { svcId: string }[] }
  expect(users.map(({ svcId }) => svcId).sort()).toEqual([...ids].sort())
  // A list that comes whole is one page.
  const { stdout: whole } = await api('/db/1/applications', '--paginate')
  expect(JSON.parse(whole).applications).toHaveLength(1)
  // An id may be that of one database alone, and rows without any may be equal. Pages that repeat themselves add
  // nothing.
  const rows = [{ id: 1, dbId: 1 }, { id: 1, dbId: 2 }, { sum: 5 }, { sum: 5 }]
  const { to, close } = await pretend((_, response) => response.end(JSON.stringify({ total: 4, rows })))
  expect(JSON.parse((await api('/db/1/reports/2', '--paginate', ...to)).stdout)).toEqual({ rows })
  close()
})

it('writes after a yes alone, and shows without its token what it would send', async () => {
  const change = ['PATCH', '/admin/user', '--query', `svcId=${ids[0]}`, '--field', 'jobTitle=Lead']
  const unasked = await api(...change)
  expect(unasked.code).toBe(4)
  expect(unasked.stderr).toContain('error SVC2180  PATCH /admin/user?svcId=user-0@example.com writes, but svcsync')
  const shown = await api(...change, '--dry-run')
  expect(shown.code).toBe(0)
  expect(shown.stdout).toContain(
    `PATCH ${workspace.emulator.url}/api/data/v6.0/admin/user?svcId=user-0%40example.com\n`,
  )
  expect(shown.stdout).toContain('authorization: Bearer (a token)\n')
  expect(shown.stdout).toContain('{\n  "jobTitle": "Lead"\n}')
  const hidden = await api(
    'PATCH',
    '/admin/user?svcId=a&accessToken=s3cret',
    '--field',
    'newPassword=s3cret',
    '--dry-run',
  )
  expect(hidden.stdout).toMatch(/accessToken=\S*secret.*"newPassword": "\(a secret\)"/s)
  expect(hidden.stdout).not.toContain('s3cret')
  const read = async () => JSON.parse((await api('/admin/user', '--query', `svcId=${ids[0]}`)).stdout).jobTitle
  expect(await read()).not.toBe('Lead')
  const done = await api(...change, '--yes')
  expect(done.code).toBe(0)
  expect(done.stderr).toContain('PATCH /admin/user: done, the platform answered 20')
  expect(await read()).toBe('Lead')
})

it('takes the body from a file, and puts an answer into one', async () => {
  const body = join(workspace.dir, 'body.json')
  writeFileSync(body, JSON.stringify({ svcId: 'kim@example.com', name: 'Kim', email: 'kim@example.com' }))
  expect((await api('POST', '/admin/users', '--input', 'body.json', '--yes')).code).toBe(0)
  const read = ['/admin/user?svcId=kim@example.com', '--output', 'kim.json']
  const { code, stdout } = await api(...read)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  const kept = () => JSON.parse(readFileSync(join(workspace.dir, 'kim.json'), 'utf8'))
  expect(kept()).toMatchObject({ name: 'Kim' })
  // The command names obstacles before it sends anything.
  const before = workspace.emulator.requests().length
  const write = ['PATCH', '/admin/user?svcId=kim@example.com', '--field', 'name=Kim K.', '--yes', '--output']
  for (const [args, why] of [
    [[...write, 'none/kim.json'], 'there is no such folder'],
    [[...write, 'body.json/kim.json'], 'a part of its path is no folder'],
    [[...write, 'manifests'], 'it is a folder'],
    [[...write, '/dev/null'], 'it is a device or a pipe, and no file'],
    [[...write, '-'], '`--output -` names no file'],
    [read, '`kim.json` exists already'],
  ] as const) {
    const refused = await api(...args)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('error SVC2182  ')
    expect(refused.stderr).toContain(why)
  }
  expect(workspace.emulator.requests()).toHaveLength(before)
  expect((await api(...read, '--yes')).code).toBe(0)
})

it('ends with a code by the status, and says which scopes would do', async () => {
  const absent = await api('/admin/user', '--query', 'svcId=nobody@example.com')
  expect(absent).toMatchObject({ code: 4, stdout: '' })
  expect(absent.stderr).toContain('answered 404')
  const unknown = await api('/nowhere')
  expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('`svcsync api --list` shows') })
  const platform = await pretend((request, response) => {
    if (request.method === 'GET') response.writeHead(501).end('{}')
    else request.socket.destroy()
  })
  expect((await api('/me', ...platform.to)).code).toBe(5)
  const lost = await api('POST', '/admin/groups', '--field', 'svcId=a', '--yes', ...platform.to)
  expect(lost.code).toBe(3)
  expect(lost.stderr).toContain('hint: It may have succeeded: check before you send it again.')
  platform.close()
})

it.each([
  [['PUT', '/me'], '`PUT /me` is no call'],
  [[], 'The method and the path are missing'],
  [['GET', '/admin/user'], 'GET /admin/user needs the parameter `svcId`'],
  [['GET', 'admin/users'], '`admin/users` is no path'],
  [['GET', '/admin/../me'], '`/admin/../me` is no path'],
  [['GET', '/me', '--field', 'a=b'], 'GET takes no body'],
  [['GET', '/admin/users?page=2', '--paginate'], '`--paginate` reads all pages, and `page` names one'],
  [['POST', '/admin/users', '--paginate'], '`--paginate` is for GET alone'],
  [['POST', '/admin/users', '--field', 'a'], '`--field a` has no value'],
  [['POST', '/admin/users', '--field', 'a:=b'], '`--field a:=b` has no JSON after `:=`'],
  [['POST', '/admin/users', '--input', 'none.json'], '`none.json` cannot be read: there is no such file'],
  [['POST', '/admin/users', '--input', 'svcsync.yaml'], '`svcsync.yaml` is no JSON'],
  // One of the two would be left out in silence.
  [['DELETE', '/admin/group?svcId=a', '--query', 'svcId=b'], 'The parameter `svcId` is given twice'],
  [['PATCH', '/admin/group?svcId=a', '--field', 'name=a', '--field', 'name:="b"'], 'The field `name` is given twice'],
  [['GET', '/me', '--paginate'], 'The answer to GET /me holds no list'],
])('refuses %j', async (args, sentence) => {
  const { code, stderr } = await api(...args)
  expect(code).toBe(1)
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('error SVC2181  ')
})

it('lists the endpoints with their scopes', async () => {
  const all = await api('--list')
  expect(all.stdout.split('\n').length).toBeGreaterThan(200)
  const some = await api('--list', 'attachment')
  expect(some.stdout).toContain('GET    /db/{dbId}/elements/{id}/attachments/{attId}/stream')
  expect(some.stdout).not.toContain('/admin/users')
  expect((await api('--list', 'nothing-like-it')).stderr).toContain('No endpoint has `nothing-like-it` in it')
})

it('locates an address of the browser, as a manifest that is sound', async () => {
  const locate = (...args: string[]) => runCommand(['locate', ...args], workspace.dir, { ...workspace.env })
  const id = JSON.parse((await api('/db/1/applications')).stdout).applications[0].id
  const foreign = await locate(`https://anna:secret@portal.example.com/db/1/app/${id}`)
  expect(foreign).toMatchObject({ code: 1, stdout: '' })
  expect(foreign.stderr).toContain('of another installation: `portal.example.com`')
  expect(foreign.stderr).not.toContain('secret')
  expect((await locate(`//portal.example.com/db/1/app/${id}`)).stderr).toContain('of another installation: `portal')
  const found = await locate(
    `${workspace.emulator.url.replace('://', '://anna:secret@')}/db/1/app/${id}?token=secret#x`,
  )
  expect(found).toMatchObject({ code: 0, stderr: '' })
  expect(found.stdout).not.toContain('secret')
  expect(found.stdout).toMatch(
    /^# Application: http:.*\n\ndatabase: main # dbId 1\n\napplications:\n(?: +# Purchasing, id \d+, guid [\w-]+\n)? {2}- application: Purchasing/,
  )
  expect(found.stdout).toContain('process: Invoice approval')
  writeFileSync(join(workspace.dir, 'manifests/located.yaml'), found.stdout)
  expect((await runCommand(['plan'], workspace.dir, { ...workspace.env })).code).toBe(0)
  const asJson = JSON.parse((await locate(`/db/1/app/${id}`, '--format', 'json')).stdout)
  expect(asJson).toMatchObject({
    mode: 'Application',
    dbId: 1,
    database: 'main',
    application: { name: 'Purchasing' },
    processes: [{ name: 'Invoice approval' }],
  })
  const element = await locate(`/db/1/app/${id}/element/4711`)
  expect(element.stdout).toContain('elements:\n  # id 4711\n  - element: 4711\n')
  writeFileSync(join(workspace.dir, 'manifests/located.yaml'), element.stdout)
  expect((await runCommand(['validate'], workspace.dir, { ...workspace.env })).code).toBe(0)
  expect((await locate('/db/1/app/999999')).stderr).toContain(
    'error SVC2296  The platform knows nothing at the address',
  )
})

it('names an element by its number, whatever else is told of it, and where nothing else is found', async () => {
  const element = { id: 4711, guid: '83afceac-c496-43d6-adb5-3a3e671efa2e', name: 'INV/12' }
  const application = { id: 1, name: 'Empty' }
  const { to, close } = await pretend(({ url = '' }, response) => {
    const answer = url.includes('urlMetadata')
      ? { mode: 'Element', dbId: 1, application, element, permissions: { read: true } }
      : { processes: [] }
    response.end(JSON.stringify(answer))
  })
  const { stdout } = await runCommand(['locate', '/db/1/element/4711', ...to], workspace.dir, { ...workspace.env })
  close()
  expect(stdout).toContain('  - application: Empty\n')
  expect(stdout).toContain('  - element: 4711\n')
  // A field that svcsync does not know names no object.
  expect(stdout).not.toContain('permissions')
})

it('looks up the guid of an application that the platform tells by its id alone', async () => {
  const guid = '83afceac-c496-43d6-adb5-3a3e671efa2e'
  const { to, close } = await pretend(({ url = '' }, response) => {
    const answer = url.includes('urlMetadata')
      ? { mode: 'Application', dbId: 1, application: { id: 12 } }
      : url.includes('processes')
        ? { processes: [] }
        : {
            applications: [
              { id: 1, guid: guid.replace('8', '9'), name: 'Other' },
              { id: 12, guid, name: 'Sales' },
            ],
          }
    response.end(JSON.stringify(answer))
  })
  const locate = (...args: string[]) =>
    runCommand(['locate', '/db/1/app/12', ...to, ...args], workspace.dir, { ...workspace.env })
  const [text, json] = [await locate(), await locate('--format', 'json')]
  close()
  expect(text.stdout).toContain(`  # Sales, id 12, guid ${guid}\n  - application: Sales\n`)
  expect(JSON.parse(json.stdout).application).toEqual({ id: 12, guid, name: 'Sales' })
})

it('says where the platform does not tell what an address leads to', async () => {
  const { to, close } = await pretend((_, response) => response.end('{"url":"/"}'))
  const { code, stderr } = await runCommand(['locate', '/', ...to], workspace.dir, { ...workspace.env })
  close()
  expect(code).toBe(1)
  expect(stderr).toContain('error SVC2183  ')
})

it('sends a body whatever it holds: false and null are some', async () => {
  const seen: string[] = []
  const { to, close } = await pretend((request, response) => {
    request.on('data', (chunk) => seen.push(String(chunk))).on('end', () => response.end('{}'))
  })
  for (const body of ['false', 'null', '0', '""']) {
    writeFileSync(join(workspace.dir, 'small.json'), body)
    expect((await api('POST', '/admin/groups', '--input', 'small.json', '--yes', ...to)).code).toBe(0)
  }
  close()
  expect(seen).toEqual(['false', 'null', '0', '""'])
})

it('sends what a person wrote, and no replaced characters, from whatever is slow', async () => {
  const body = (text: string, encoding: BufferEncoding) =>
    writeFileSync(join(workspace.dir, 'text.json'), text, encoding)
  const call = ['POST', '/admin/groups', '--input', 'text.json', '--dry-run']
  body('{"name":"J\u00fcrgen"}', 'latin1')
  expect(await api(...call)).toMatchObject({ code: 1, stderr: expect.stringContaining('`text.json` is not UTF-8') })
  body('\uFEFF{"name":"J\u00fcrgen","in":[{"password":"s3cret"},{"clientSecret":"s3cret"}]}', 'utf8')
  const shown = await api(...call)
  expect(shown.stdout).toContain('"J\u00fcrgen"')
  // Nor does a preview show what signs in.
  expect(shown.stdout).toContain('"password": "(a secret)"')
  expect(shown.stdout).not.toContain('s3cret')
  const line =
    `(sleep 0.6; echo '{"name":"late"}') | "${process.execPath}" ` +
    `"${command}" api POST /admin/groups --input - --dry-run`
  const env = { PATH: process.env.PATH, ...workspace.env }
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { cwd: workspace.dir, env })
  expect(stdout).toContain('"late"')
})

it('puts bytes into a file as they came, whole or not at all, and prints none that are no text', async () => {
  // More than is held of any answer.
  const bytes = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.alloc(1_500_000, 1)])
  let asked = 0
  const { to, close } = await pretend(({ url = '' }, response) => {
    asked += 1
    // Some pack though nobody asked for that.
    if (url.endsWith('packed'))
      return response.setHeader('content-encoding', 'gzip').end(gzipSync(bytes.subarray(0, 999)))
    if (url.endsWith('small')) return response.end(bytes.subarray(0, 999))
    response.setHeader('content-length', bytes.length)
    if (asked > 1 && url.endsWith('large')) return response.end(bytes)
    response.write(bytes.subarray(0, 700_000), () => setTimeout(() => response.destroy(), 20))
  })
  const path = '/db/1/elements/2/attachments/3'
  const put = async (name: string) => ({
    ...(await api(`${path}/${name}`, ...to, '--output', name)),
    there: readdirSync(workspace.dir).filter((file) => file.includes(name)),
  })
  expect(await put('large')).toMatchObject({ code: 0, stderr: '1,500,003 bytes are in large.\n', there: ['large'] })
  expect(readFileSync(join(workspace.dir, 'large')).equals(bytes)).toBe(true)
  expect(asked).toBe(2)
  expect(await put('packed')).toMatchObject({ code: 0 })
  expect(readFileSync(join(workspace.dir, 'packed'))).toEqual(bytes.subarray(0, 999))
  const cut = await put('never')
  expect(cut).toMatchObject({ code: 1, there: [] })
  expect(cut.stderr).toContain('was cut short')
  const printed = await api(`${path}/small`, ...to)
  expect(printed.code).toBe(1)
  expect(printed.stderr).toContain('error SVC2182  The answer is no text')
  close()
})

it('leaves nothing of an answer that is interrupted', async () => {
  const { to, close } = await pretend((_, response) => {
    response.write('half')
  })
  const args = [command, 'api', '/db/1/elements/2/attachments/3/stream', '--output', 'half', ...to]
  const child = execFile(process.execPath, args, { cwd: workspace.dir, env: { ...workspace.env } })
  const ended = new Promise((done) => child.on('exit', done))
  const half = () => readdirSync(workspace.dir).filter((file) => file.includes('half'))
  await expect.poll(half).toHaveLength(1)
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(half()).toEqual([])
  close()
})

/** A platform that gives tokens, and everything else as it is told. */
async function pretend(answer: RequestListener): Promise<{ readonly to: readonly string[]; close(): void }> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/oauth2/token') !== true) return answer(request, response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: 'token-of-the-test', expires_in: 60 }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    to: ['--base-url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
