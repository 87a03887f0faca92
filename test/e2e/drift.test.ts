// A project made from a live installation finds all edits by hand the next morning.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'

const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const user = (svcId: string, name: string) => ({ svcId, name, email: svcId })
const kim = 'kim.lee@example.com'
const guest = 'guest@partner.example.com'

let dir: string
let emulator: Emulator
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-drift-'))
  emulator = await startEmulator({
    tenant: {
      users: [user('anna@example.com', 'Anna Nowak'), user(kim, 'Kim Lee'), user(guest, 'A guest')],
      groups: [
        { svcId: 'finance@example.com', name: 'Finance', members: ['anna@example.com'] },
        { svcId: 'empty@example.com', name: 'Empty' },
      ],
      databases: [
        {
          id: 1,
          constants: [{ name: 'Url', common: 'https://erp.example.com' }],
          applications: [
            {
              name: 'Purchasing',
              privileges: [
                { svcId: 'anna@example.com', level: 'Administrator' },
                { svcId: 'finance@example.com', level: 'ReadOnly' },
              ],
            },
            { name: 'Nobody', processes: [{ name: 'P' }] },
          ],
        },
      ],
    } as never,
  })
})
afterEach(async () => {
  await emulator.close()
  rmSync(dir, { recursive: true, force: true })
})

const run = (...args: string[]) => runCommand(args, dir, credentials)
const init = (...args: string[]) => run('init', '--from-live', '--base-url', emulator.url, ...args)

/** A guest becomes Administrator, an owner and a member are added, a user and a group appear, a value is changed. */
function actByHand(): void {
  emulator.edit({
    addPrivileges: { application: 'Purchasing', privileges: [{ svcId: guest, level: 'Administrator' }] },
  })
  emulator.edit({ addOwners: { group: 'empty@example.com', owners: [guest] } } as never)
  emulator.edit({ addMembers: { group: 'finance@example.com', members: [kim] } })
  emulator.edit({ upsertUser: user('new@example.com', 'New') })
  emulator.edit({ upsertGroup: { svcId: 'side-door@example.com', name: 'Side door' } })
  emulator.edit({ upsertConstant: { constant: { name: 'Url', common: 'https://elsewhere.example.com' } } } as never)
}

it('names everything that was done by hand after init --from-live, and ends with 2', async () => {
  const made = await init()
  expect(made).toMatchObject({ code: 0 })
  expect(made.stderr).toContain('Watched: every field that has a value, whole lists of members and owners, every level')
  expect(made.stderr).toContain('Only counted by each plan: objects that no manifest declares')
  expect(await run('validate', '--strict')).toMatchObject({ code: 0 })
  expect(await run('fmt', '--check')).toMatchObject({ code: 0 })
  const before = await run('drift')
  expect(before).toMatchObject({ code: 0 })
  expect(before.stdout).toContain('Not managed: 1 application.')
  actByHand()
  const { code, stdout } = await run('drift', '--unmanaged')
  expect(code).toBe(2)
  expect(stdout).toMatch(/Entries added by hand\n[\s\S]* Administrator +\+guest@partner\.example\.com/)
  expect(stdout).toMatch(/owners +\+guest@partner\.example\.com/)
  expect(stdout).toMatch(/members +\+kim\.lee@example\.com/)
  expect(stdout).toMatch(
    /Changed by hand\n[\s\S]*common +https:\/\/erp\.example\.com → https:\/\/elsewhere\.example\.com/,
  )
  expect(stdout).toContain('  user/new@example.com\n')
  expect(stdout).toContain('  group/side-door@example.com\n')
  expect(stdout).toContain('  svcsync apply\n')
  const data = JSON.parse((await run('drift', '--format', 'json')).stdout)
  expect(data.unmanaged.user).toEqual({ live: 4, declared: 3, percent: 75, addresses: ['user/new@example.com'] })
  expect(data.unmanaged.group).toEqual({
    live: 3,
    declared: 2,
    percent: 66,
    addresses: ['group/side-door@example.com'],
  })
  const markdown = (await run('drift', '--format', 'markdown')).stdout
  for (const name of [kim, guest, 'user/new@example.com', 'group/side-door@example.com'])
    expect(markdown).toContain(name)
})

it('leads on in two ways: what is written down is no drift, and what is healed is none', async () => {
  await init()
  actByHand()
  const { ways } = JSON.parse((await run('drift', '--format', 'json', '--only', 'group/**')).stdout)
  expect(ways.heal).toBe('svcsync apply --only "group/**"')
  expect(ways.writeDown).toBe('svcsync accept --only "group/**"')
  expect(await run('accept', '--only', 'group/**')).toMatchObject({ code: 0, stderr: '' })
  expect(await run('drift', '--only', 'group/**')).toMatchObject({ code: 0 })
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
  expect(await run('drift')).toMatchObject({ code: 0 })
})

it('writes and says less with --sparse, and more with --complete', async () => {
  const sparse = await init('sparse', '--sparse')
  expect(sparse.stderr).toContain('empty lists and levels (leave out `--sparse`)')
  expect(readFileSync(join(dir, 'sparse/manifests/groups.yaml'), 'utf8')).not.toContain('[]')
  const complete = await init('complete', '--complete')
  expect(complete.stderr).toContain('Watched: every field, whole lists')
  expect(await init('both', '--complete', '--sparse')).toMatchObject({ code: 1, stdout: '' })
})

it('does not know who took away what was never applied, and keeps it away when asked', async () => {
  await init()
  const file = join(dir, 'manifests/more.yaml')
  writeFileSync(file, 'users:\n  - { svcId: never@example.com, name: Never }\n')
  const { code, stdout } = await run('drift')
  expect(code).toBe(2)
  expect(stdout).toContain('Missing: deleted by hand, or never applied\n  Healing creates it.\n')
  expect(await run('accept')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('users: []\n')
  expect(await run('drift')).toMatchObject({ code: 0 })
})

it('prints commands as it was called', async () => {
  await init()
  actByHand()
  const byNpx = (...args: string[]) => runCommand(args, dir, { ...credentials, npm_command: 'exec' })
  const { stdout } = await byNpx('drift')
  expect(stdout).toContain('  npx svcsync apply\n')
  expect(stdout).toContain('  npx svcsync accept\n')
  expect((await byNpx('plan')).stdout).toMatch(/ {2}npx svcsync apply --expect /)
  expect((await byNpx('drift', '--format', 'markdown')).stdout).toContain('`npx svcsync apply`')
  expect((await byNpx('apply', 'svcsync.yaml')).stderr).toContain('`npx svcsync plan --out`')
  // Programs take them apart.
  expect(JSON.parse((await byNpx('drift', '--format', 'json')).stdout).ways.heal).toBe('svcsync apply')
  expect((await run('drift')).stdout).toContain('  svcsync apply\n')
})

it('leaves and lists who is at a level that is not told: a difference of access, and of nothing else', async () => {
  const privileges = ['anna@example.com', kim].map((svcId) => ({ svcId, level: 'ReadOnly' }))
  emulator.load({
    users: [user('anna@example.com', 'Anna Nowak'), user(kim, 'Kim Lee')],
    databases: [{ id: 1, applications: [{ name: 'A', privileges }] }],
    behaviour: { privilegeLevel: 'omitted' },
  } as never)
  writeFileSync(
    join(dir, 'svcsync.yaml'),
    `version: 1\nmanifests: [m.yaml]\ntargets: { t: { baseUrl: '${emulator.url}', databases: { main: 1 } } }\n`,
  )
  writeFileSync(
    join(dir, 'm.yaml'),
    'database: main\napplications: [{ application: A, privileges: { ReadOnly: [anna@example.com] } }]\n',
  )
  const drift = await run('drift')
  expect([drift.code, drift.stdout]).toEqual([0, expect.stringContaining('1 entry whose level is not told')])
  const access = await run('drift', '--access')
  expect([access.code, access.stdout]).toEqual([
    2,
    expect.stringContaining(`+ ${kim}  a level that is not told  application A  directly`),
  ])
})
