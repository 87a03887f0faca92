// `svcsync access review`, from the files for reviewers to the evidence: the built command, the emulator and git.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withDigest } from '../../src/core/plan/access-review.ts'
import { sha256 } from '../../src/runs/open/sha256.ts'
import { runCommand } from '../harness/command.ts'
import { openRepository, type Repository } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const manifest = `users:
  - { svcId: anna@example.com, name: Anna }
  - { svcId: jan@example.com, name: Jan }
  - { svcId: maria@example.com, name: Maria, managerSvcId: eva@example.com }
  - { svcId: eva@example.com, name: Eva }
groups:
  - { svcId: clerks@example.com, name: Clerks, members: [maria@example.com], owners: [anna@example.com, jan@example.com] }
  - { svcId: admins@example.com, name: Admins, members: [eva@example.com], owners: [jan@example.com] }
  - svcId: shared@example.com
    name: Shared
    members: [maria@example.com]
    owners: [jan@example.com]
    manage: { members: additive }
applications:
  - application: Purchasing
    privileges:
      Administrator: [admins@example.com]
      ReadOnly: [clerks@example.com, maria@example.com]
processes:
  - application: Purchasing
    process: Orders
    privileges:
      Start: [clerks@example.com, eva@example.com]
      Modify: [shared@example.com]
`

let workspace: Workspace
let repository: Repository
beforeEach(async () => {
  const applications = [{ name: 'Purchasing', processes: [{ name: 'Orders' }] }]
  workspace = await openWorkspace({ tenant: { users: [], databases: [{ id: 1, applications }] } })
  workspace.manifest(manifest)
  repository = openRepository(workspace.dir)
  repository.commit()
  await workspace.apply({ allow: ['removals=9'] })
})
afterEach(() => workspace.close())

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const review = (...args: string[]) => run('access', 'review', ...args)
const start = async (by = 'owner') => {
  const started = await review('start', '--by', by, '--until', '2099-12-31')
  expect([started.code, started.stderr]).toEqual([0, ''])
  const [name = ''] = readdirSync(join(workspace.dir, 'access-reviews')).sort().slice(-1)
  return join(workspace.dir, 'access-reviews', name)
}
const edit = (file: string, change: (text: string) => string) => writeFileSync(file, change(readFileSync(file, 'utf8')))
/** Writes decisions: `revoke` behind the entries that hold all of the words of one line. */
const decide = (folder: string, revoked: readonly string[] = [], files = readdirSync(folder)) => {
  for (const file of files.filter((each) => each.endsWith('.yaml'))) {
    edit(join(folder, file), (text) =>
      text
        .split('  - ')
        .map((entry) => {
          const isRevoked = revoked.some((words) => words.split(' ').every((word) => entry.includes(word)))
          return entry.replace(/decision:.*/, `decision: ${isRevoked ? 'revoke' : 'keep'}`)
        })
        .join('  - '),
    )
  }
  repository.commit('decided')
}
const manifests = () => readFileSync(join(workspace.dir, 'manifests/main.yaml'), 'utf8')
const everything = 'maria@example.com clerks@example.com'
/** Without `everything`, and her own level. */
const ended = manifest
  .replace('members: [maria@example.com], owners: [anna', 'members: [], owners: [anna')
  .replace('ReadOnly: [clerks@example.com, maria@example.com]', 'ReadOnly: [clerks@example.com]')

it('gives each owner a file, nobody their own access, and what has no owner to an Administrator', async () => {
  const folder = await start()
  const files = readdirSync(folder).sort()
  const people = ['anna', 'eva', 'jan'].map((name) => `${name}-example.com.yaml`)
  expect(files).toEqual([...people, 'review.json', 'unassigned.yaml'])
  const own = (file: string) => readFileSync(join(folder, file), 'utf8')
  expect(own('anna-example.com.yaml')).toContain(
    '  - person: maria@example.com\n    level: Start\n    object: process/main/Purchasing/Orders\n' +
      '    through: [clerks@example.com]\n    since: 2026-01-01\n    decision:\n',
  )
  // Eva has a level by herself, and she alone administers what it is on: nobody is left but whoever leads the review.
  expect(own('eva-example.com.yaml')).not.toContain('person: eva@example.com')
  expect(own('unassigned.yaml')).toContain('  - person: eva@example.com\n    level: Start\n')
})

it('ends with edits of the memberships of that person alone, and evidence that others can verify offline', async () => {
  const folder = await start()
  const early = await review('finish')
  expect([early.code, early.stderr.split('\n')[0]]).toEqual([
    1,
    'error SVC2311  The review cannot be finished: nothing is written',
  ])
  decide(folder, [everything, 'maria@example.com ReadOnly'])
  const status = JSON.parse((await review('status', '--format', 'json')).stdout)
  expect(status).toMatchObject({ open: 0, contrary: 0, isOver: false, finishedAt: null })
  const tried = await review('finish', '--dry-run')
  expect([tried.code, manifests(), readdirSync(folder).includes('evidence.json')]).toEqual([0, manifest, false])
  const { code, stdout, stderr } = await review('finish')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(
    'The next apply ends, as far as svcsync can see:\n  maria@example.com  ReadOnly on application/main/Purchasing',
  )
  expect(manifests()).toBe(ended)
  // The platform is not asked.
  const { stdout: verified, code: verifies } = await runCommand(['access', 'review', 'verify'], workspace.dir, {})
  expect([verifies, verified.split('\n')[0]]).toEqual([0, expect.stringContaining('The evidence holds: ')])
  expect(verified).toContain('committed by Anna <anna@example.com> on 2026-01-01')
  const again = await review('finish')
  expect(again.stderr).toContain('is finished')
  // The page knows what nobody has reviewed.
  const newOn = async () => {
    const { stdout: page, code: made } = await run('access', 'list', '--format', 'html')
    const data = JSON.parse(/id="data">(.*)<\/script>/.exec(page)?.[1] ?? '{}')
    const isNew = (_: number, at: number): boolean => at % 9 === 6 && (data.rows[at] & 16) > 0
    return [made, data.rows.filter(isNew).length]
  }
  expect(await newOn()).toEqual([0, 0])
  await workspace.control('POST', '/edits', {
    addMembers: { group: 'admins@example.com', members: ['jan@example.com'] },
  })
  expect(await newOn()).toEqual([0, 1])
  await workspace.control('POST', '/edits', {
    removeMembers: { group: 'admins@example.com', members: ['jan@example.com'] },
  })
  expect((await run('apply', '--yes', '--allow', 'removals=9')).code).toBe(0)
  const now = JSON.parse((await run('access', 'list', '--format', 'json')).stdout)
  const left = now.rows.filter(({ subject }: { subject: string }) => subject === 'maria@example.com')
  expect(left.map(({ level }: { level: string }) => level)).toEqual(['Modify'])
})

it('refuses contrary decisions of two reviewers, and what would end a kept entry, and names both', async () => {
  const folder = await start()
  decide(folder)
  decide(folder, ['maria@example.com Start'], ['anna-example.com.yaml'])
  const contrary = await review('finish')
  expect(contrary.code).toBe(1)
  expect(contrary.stderr.replaceAll(/\n +/g, ' ')).toMatch(
    /maria@example.com +Start on process\/main\/Purchasing\/Orders +through clerks@example.com: \S+anna-example\.com\.yaml:\d+:5 says revoke, \S+jan-example\.com\.yaml:\d+:5 says keep/,
  )
  // ReadOnly on the application stays by her own level; Start ends with the group, and Modify is another group's.
  decide(folder, ['maria@example.com ReadOnly'])
  const ends = await review('finish')
  expect([ends.code, manifests()]).toEqual([1, manifest])
  expect(ends.stderr.replaceAll(/\n +/g, ' ')).toContain(
    'SVC2312  A revoked entry would end a kept one: nothing is written revoke  maria@example.com  ReadOnly ' +
      'on application/main/Purchasing keep    maria@example.com  Start on process/main/Purchasing/Orders',
  )
})

it('says what has to be taken away by hand, and what is gone or came later', async () => {
  const folder = await start()
  decide(folder, ['maria@example.com Modify', 'eva@example.com Start'])
  await workspace.control('POST', '/edits', {
    addPrivileges: { application: 'Purchasing', privileges: [{ svcId: 'jan@example.com', level: 'PortalDesigner' }] },
  })
  const { code, stdout } = await review('finish')
  // To take the line out of a list that is only added to takes nobody out of the group.
  expect(code).toBe(3)
  expect(stdout).toContain(
    'End by hand: a substitution in its manifest, all else on the platform:\n' +
      '  maria@example.com  Modify on process/main/Purchasing/Orders  through shared@example.com',
  )
  expect(stdout).toContain(
    'The next apply ends, as far as svcsync can see:\n  eva@example.com  Start on process/main/Purchasing/Orders\n',
  )
  expect(stdout).toContain('Not reviewed, since it came later: 1 entry.')
  const { entries } = JSON.parse(readFileSync(join(folder, 'evidence.json'), 'utf8'))
  expect(entries.filter(({ result }: { result: string }) => result === 'by-hand')).toMatchObject([
    { person: 'maria@example.com', level: 'Modify', decision: 'revoke' },
  ])
})

it('reviews what is gone meanwhile without bringing it back', async () => {
  const folder = await start('person')
  decide(folder)
  workspace.manifest(manifest.replace('members: [maria@example.com], owners: [anna', 'members: [], owners: [anna'))
  repository.commit('without Maria')
  await workspace.apply({ allow: ['removals=9'] })
  const { code, stdout } = await review('finish')
  expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/No longer there: 1\.$/)])
})

it('takes no entry that was edited, left out, doubled or decided otherwise than by the two words', async () => {
  const folder = await start()
  const file = join(folder, 'anna-example.com.yaml')
  const before = readFileSync(file, 'utf8')
  const told = async (change: (text: string) => string) => {
    writeFileSync(file, change(before))
    const { code, stderr } = await review('status')
    return [code, stderr.split('\n').find((line) => line.includes('error')) ?? stderr]
  }
  expect(await told((text) => text.replace('level: Start', 'level: Modify'))).toEqual([
    1,
    expect.stringContaining('SVC1337  `Modify` of `maria@example.com`'),
  ])
  expect(await told((text) => text.replace('[clerks@example.com]', '[admins@example.com]'))).toEqual([
    1,
    expect.stringContaining('SVC1337  `through` was changed'),
  ])
  expect(
    await told((text) => text.replace(/ {2}- person: maria@example\.com\n {4}level: Start[\s\S]*?decision:\n/, '')),
  ).toEqual([1, expect.stringContaining('is missing here')])
  expect(await told((text) => `${text}${text.slice(text.lastIndexOf('  - '))}`)).toEqual([
    1,
    expect.stringContaining('`process/main/Purchasing/Orders` occurs twice'),
  ])
  expect(await told((text) => text.replace('    decision:', '    decision: yes'))).toEqual([
    1,
    expect.stringContaining('SVC1104'),
  ])
  expect(await told((text) => text.replace('entries:', 'entries: ['))).toEqual([1, expect.stringContaining('SVC1003')])
})

it('notices changes after the end', async () => {
  const folder = await start()
  decide(folder)
  expect((await review('finish')).code).toBe(0)
  const told = async (file: string, change: (text: string) => string) => {
    const path = join(folder, file)
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, change(before))
    const { code, stderr } = await review('verify')
    writeFileSync(path, before)
    return [code, stderr]
  }
  const changed = expect.stringMatching(/SVC2313.*was changed: its digest does not match/)
  expect(await told('review.json', (text) => text.replace('maria@', 'mario@'))).toEqual([1, changed])
  expect(await told('evidence.json', (text) => text.replace('"keep"', '"revoke"'))).toEqual([1, changed])
  expect(await told('evidence.json', () => '{}')).toEqual([1, expect.stringContaining('not as svcsync wrote it')])
  expect(await told('jan-example.com.yaml', (text) => `${text}# later\n`)).toEqual([
    1,
    expect.stringContaining('was changed after the review had ended'),
  ])
  expect((await review('verify')).code).toBe(0)
})

it('holds what the evidence says of commits against git', async () => {
  const folder = await start()
  decide(folder)
  const path = join(folder, 'jan-example.com.yaml')
  const commitAs = (name: string) =>
    repository.git(
      'commit',
      '--all',
      '--quiet',
      `--author=${name} <${name.toLowerCase()}@example.com>`,
      '-m',
      'changed',
    )
  // Somebody else changes one decision of his, and a third one nothing but a comment.
  edit(path, (text) => text.replace('    decision: keep', '    decision: keep\n    comment: as agreed'))
  commitAs('Lee')
  edit(path, (text) => text.replace('    decision: keep', '    decision: "keep"'))
  commitAs('Moe')
  expect(await review('finish')).toMatchObject({ code: 0, stderr: '' })
  const verify = async () => {
    const { code, stdout, stderr } = await review('verify')
    return { code, said: (stdout + stderr).replace(/\s+/g, ' ') }
  }
  const { code, said } = await verify()
  expect(code).toBe(0)
  expect(said).toMatch(/jan@example.com committed by Moe <moe@example.com> on 2026-01-01, \w{7}; \d+ decisions by Anna/)
  expect(said).toContain('; 1 decision by Moe <moe@example.com>')
  expect(said).not.toContain('by Lee')
  const file = join(folder, 'evidence.json')
  const evidence = JSON.parse(readFileSync(file, 'utf8'))
  const forge = async (change: (committed: Record<string, string>) => object) => {
    const { digest: _, ...content } = evidence
    const files = content.files.map((each: { file: string; committed: Record<string, string> }) =>
      each.file === 'jan-example.com.yaml' ? { ...each, committed: change(each.committed) } : each,
    )
    writeFileSync(file, JSON.stringify(withDigest({ ...content, files }, sha256)))
    return verify()
  }
  const other = await forge((own) => ({ ...own, author: 'Jan <jan@example.com>' }))
  expect(other).toMatchObject({ code: 1, said: expect.stringContaining('was committed by Moe <moe@example.com> on') })
  const [first] = repository.git('rev-list', '--max-parents=0', 'HEAD').split('\n')
  const early = await forge((own) => ({ ...own, commit: first as string, author: 'Anna <anna@example.com>' }))
  expect(early).toMatchObject({ code: 1, said: expect.stringMatching(/is not in \w{7} as the evidence says/) })
  const gone = await forge((own) => ({ ...own, commit: 'a'.repeat(40) }))
  expect(gone).toMatchObject({
    code: 0,
    said: expect.stringContaining('not proven: commit aaaaaaa is not in this clone'),
  })
  rmSync(join(workspace.dir, '.git'), { recursive: true })
  expect(await verify()).toMatchObject({ code: 0, said: expect.stringContaining('there is no git repository here') })
})

it('refuses a review without an end to come, twice on a day, of an unknown name, and unknown words', async () => {
  const told = async (...args: string[]) => {
    const { code, stderr } = await review(...args)
    return [code, stderr.split('\n')[0]]
  }
  const until = (day: string) => told('start', '--by', 'owner', '--until', day)
  expect(await until('2020-01-01')).toEqual([1, 'error SVC2310  `--until 2020-01-01` is over'])
  expect(await until('soon')).toEqual([1, 'error SVC2310  `--until soon` is no date'])
  expect(await told('start')).toEqual([1, expect.stringContaining('SVC2283')])
  expect((await run('access', 'of', 'group/clerks@example.com', '--format', 'html')).stderr).toContain('SVC2283')
  // Ignored options would mislead, so each is an error.
  const others = ['--object=x', '--strict', '--write', '--reason=x'] as const
  for (const option of others)
    expect(await told('start', '--by', 'owner', option)).toEqual([1, expect.stringContaining('SVC2283')])
  for (const option of ['--by=owner', '--choose=2', '--dry-run'])
    expect((await run('access', 'list', option)).stderr).toContain('SVC2283')
  expect(await told('begin')).toEqual([1, expect.stringContaining('SVC2283')])
  expect(await told('status')).toEqual([1, 'error SVC2310  There is no review of access'])
  await start()
  expect(await told('start', '--by', 'owner')).toEqual([1, 'error SVC2310  A review of `test` has begun today already'])
  expect(await told('status', '1999-01-01')).toEqual([1, 'error SVC2310  There is no review `1999-01-01`'])
  expect(await told('verify')).toEqual([1, expect.stringContaining('is not finished: there is no evidence')])
})

it('reminds a job of a review that is late, or long ago', async () => {
  const folder = await start()
  const remind = () => review('status', '--max-age', '90d')
  expect(await remind()).toMatchObject({ code: 0, stderr: '' })
  const moved = (dates: object): void => {
    edit(join(folder, 'review.json'), (text) => {
      const { digest: _, ...content } = JSON.parse(text) as { digest: string }
      return JSON.stringify(withDigest({ ...content, ...dates }, sha256))
    })
  }
  moved({ endsAt: '2026-01-01T00:00:00.000Z' })
  expect(await remind()).toMatchObject({ code: 2, stderr: expect.stringContaining('The review is late') })
  moved({ endsAt: '2099-01-01T00:00:00.000Z', startedAt: '2026-01-01T00:00:00.000Z' })
  expect(await remind()).toMatchObject({ code: 2, stderr: expect.stringContaining('more than 90 days ago') })
  expect((await review('status')).code).toBe(0)
  expect((await review('verify', '--max-age', '90d')).stderr).toContain('SVC2283')
})

it('begins and ends whole or not at all where a file cannot be written, and a second run converges', async () => {
  const all = join(workspace.dir, 'access-reviews')
  writeFileSync(all, 'in the way')
  const begun = await review('start', '--by', 'owner')
  expect([begun.code, begun.stderr.split('\n')[0]]).toEqual([1, expect.stringContaining('SVC2310')])
  rmSync(all)
  const folder = await start()
  decide(folder, [everything, 'maria@example.com ReadOnly'])
  // In the place of the evidence: the manifests are edited, and it is not there.
  mkdirSync(join(folder, 'evidence.json.d'))
  symlinkSync('evidence.json.d', join(folder, 'evidence.json'))
  const broken = await review('finish')
  expect([broken.code, manifests() === manifest]).toEqual([1, true])
  rmSync(join(folder, 'evidence.json'))
  rmSync(join(folder, 'evidence.json.d'), { recursive: true })
  expect((await review('finish')).code).toBe(0)
  expect((await review('verify')).code).toBe(0)
})

it('is completed by a second run, wherever the first was killed', async () => {
  const folder = await start()
  decide(folder, [everything, 'maria@example.com ReadOnly'])
  const preload = join(workspace.dir, 'svcsync-kill.cjs')
  writeFileSync(
    preload,
    `const fs = require('node:fs')
let left = Number(process.env.KILL_AT)
for (const name of ['renameSync', 'rmSync']) {
  const own = fs[name]
  fs[name] = (path, ...more) => {
    if (String(path).includes(${JSON.stringify(workspace.dir)}) && --left === 0) process.kill(process.pid, 'SIGKILL')
    return own(path, ...more)
  }
}
require('node:module').syncBuiltinESMExports()
`,
  )
  const seen: string[] = []
  for (let at = 1, killed = true; killed; at++) {
    const env = { ...workspace.env, NODE_OPTIONS: `--require ${preload}`, KILL_AT: String(at) }
    killed = (await runCommand(['access', 'review', 'finish'], workspace.dir, env)).code === null
    const written = manifests() !== manifest
    const again = await review('finish')
    seen.push(
      `${written ? 'edited' : 'as before'}, ${again.stderr.includes('is completed') ? 'completed' : 'begun anew'}`,
    )
    if (killed) expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Kept: ')])
    const { entries } = JSON.parse(readFileSync(join(folder, 'evidence.json'), 'utf8'))
    expect(entries.filter(({ result }: { result: string }) => result === 'revoked')).toHaveLength(2)
    expect([manifests(), (await review('verify')).code]).toEqual([ended, 0])
    expect(readdirSync(workspace.dir)).not.toContain('.svcsync-edit.json')
    writeFileSync(join(workspace.dir, 'manifests/main.yaml'), manifest)
    rmSync(join(folder, 'evidence.json'))
  }
  expect([...new Set(seen.slice(0, -1))]).toEqual([
    'as before, begun anew',
    'as before, completed',
    'edited, completed',
  ])
})
