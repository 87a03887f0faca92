// `svcsync import` on the built command: checked, agreed upon, and what it changed under the manifests.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importConfigSchema } from '../../src/runs/import/import-config.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace } from '../harness/workspace.ts'

it('checks, asks, imports, and shows what it changed under the manifests', async () => {
  const group = { svcId: 'clerks@example.com', name: 'Clerks' }
  const workspace = await openWorkspace({ tenant: { groups: [group], databases: [{ id: 1 }] } as never })
  try {
    const edit = { upsertGroup: { ...group, name: 'From the package' } }
    workspace.write('p.pkg', `${JSON.stringify({ logs: `${'line\r\n'.repeat(300)}`, brings: [{ edit }] })}\n`)
    workspace.write('import.yaml', 'importSvcGroups: true\n')
    workspace.manifest('groups: [{ svcId: clerks@example.com, name: Clerks }]\n')
    const run = (...args: string[]) =>
      runCommand(['import', 'p.pkg', '--config', 'import.yaml', ...args], workspace.dir, { ...workspace.env })
    const writes = () => workspace.emulator.requests().filter(({ path }) => String(path).includes('importsessions'))
    expect(await run('--check')).toMatchObject({ code: 0, stdout: '' })
    expect(await run()).toMatchObject({ code: 4, stderr: expect.stringContaining('error SVC2180  import writes') })
    expect(writes()).toEqual([])
    const unlogged = await run('--yes', '--logs', 'no/such.log')
    expect(unlogged).toMatchObject({ code: 1, stderr: expect.stringContaining('error SVC2188  The log cannot be') })
    // It replaces nothing that the run reads, under whichever name.
    for (const [log, what] of [
      ['./p.pkg', 'p.pkg'],
      ['import.yaml', 'import.yaml'],
      ['manifests/main.yaml', 'manifests/main.yaml'],
    ]) {
      const replaced = await run('--yes', '--logs', log as string)
      expect([replaced.code, replaced.stderr]).toEqual([1, expect.stringContaining(`would replace \`${what}\``)])
    }
    workspace.manifest('groups: [{ svcIdd: x }]\n')
    const unsound = await run('--yes', '--then', 'plan')
    expect(unsound).toMatchObject({ code: 1, stderr: expect.stringContaining('error SVC1101') })
    expect(writes()).toEqual([])
    workspace.manifest('groups: [{ svcId: clerks@example.com, name: Clerks }]\n')
    const done = await run('--yes', '--then', 'plan', '--logs', 'import.log')
    expect(done.stdout).toContain('The import is done.\n  file     p.pkg, 2.4 kB in 1 chunk')
    expect(done.stdout).toContain('name  From the package → Clerks')
    expect(done.stderr).toContain('(101 lines before; import.log has all)\nline\n')
    expect(done.code).toBe(0)
    expect(readFileSync(join(workspace.dir, 'import.log'), 'utf8')).toMatch(
      /^(line\r\n){300}INFO 1 of 1 \(upsertGroup\): done\n$/,
    )
    // A plan from before has one change, and one is brought beside it.
    workspace.emulator.edit({ upsertGroup: group } as never)
    const more = ', { svcId: staff@example.com, name: Staff }'
    workspace.manifest(`groups: [{ svcId: clerks@example.com, name: Clerks }${more}]\n`)
    const planned = await runCommand(['plan', '--format', 'json'], workspace.dir, { ...workspace.env })
    workspace.write('before.json', planned.stdout)
    const sent = writes().length
    expect(await run('--yes', '--before', 'before.json')).toMatchObject({ code: 1 })
    workspace.write('part.json', planned.stdout.replace('"only": []', '"only": ["user/*"]'))
    const part = await run('--yes', '--then', 'plan', '--before', 'part.json')
    expect(part.stderr).toContain('is no plan to compare with: it covers only a part')
    expect(writes().length).toBe(sent)
    const beside = await run('--yes', '--then', 'plan', '--before', 'before.json', '--verbose')
    expect(beside.stdout).toMatch(
      /Brought by the import, or .* \(not in before\.json of .*\): 1 group\.\n {2}group\/clerks@example\.com\nAs before: 1 change\.\n\ntest · /,
    )
    workspace.emulator.edit({ upsertGroup: group } as never)
    workspace.write('empty.pkg', `${JSON.stringify({ logs: 'x'.repeat(100_000), brings: [] })}\n`)
    const none = await runCommand(
      ['import', 'empty.pkg', '--config', 'import.yaml', '--yes', '--then', 'plan', '--before', 'before.json'],
      workspace.dir,
      { ...workspace.env },
    )
    expect(none.stdout).toContain('The import brought no change: each is in before.json of ')
    expect(none.stderr.length).toBeLessThan(5_000)
    workspace.manifest('groups: [{ svcId: clerks@example.com, name: Clerks }]\n')
    // Refused changes are allowed by an apply, not by importing again.
    const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
    workspace.write('svcsync.yaml', `${project}guards: { deletions: { max: 0 } }\n`)
    workspace.manifest('groups: [{ svcId: clerks@example.com, absent: true }]\n')
    const refused = await run('--yes', '--then', 'apply')
    expect(refused.code).toBe(4)
    expect(refused.stderr).toMatch(/--allow deletions=1.*The package is imported\. Continue with `svcsync apply`/s)
    workspace.write('svcsync.yaml', project)
    workspace.manifest('groups: [{ svcId: clerks@example.com, name: Clerks }]\n')
    const healed = await run('--yes', '--then', 'apply')
    expect(healed.code).toBe(0)
    expect(workspace.emulator.state().groups?.[0]?.name).toBe('Clerks')
    const asJson = await run('--yes', '--format', 'json')
    expect(JSON.parse(asJson.stdout)).toMatchObject({ outcome: 'completed', database: 'main', chunks: 1 })
  } finally {
    await workspace.close()
  }
})

it('writes a configuration that names every field and is valid, into no file that is there', async () => {
  const databases = [{ id: 1, applications: [{ name: 'Purchasing' }] }]
  const workspace = await openWorkspace({ tenant: { databases } as never })
  try {
    const run = (...args: string[]) => runCommand(['import', ...args], workspace.dir, { ...workspace.env })
    expect(await run('--init', 'new.yaml')).toMatchObject({ code: 0, stdout: 'written  new.yaml\n', stderr: '' })
    const text = readFileSync(join(workspace.dir, 'new.yaml'), 'utf8')
    expect(text).toContain('\n# Applications that are there and differ.\nimportAllModifiedApplications: false\n')
    expect(text).toContain(
      '\n# Some connections. In place of overwriteAllConnections.\n# overwriteSelectedConnections: […]\n',
    )
    expect(text.match(/^\w+: true$/gm)).toEqual(['importAllNewApplications: true', 'importAllNewProcesses: true'])
    const fields = Object.keys(importConfigSchema.properties)
    expect(Array.from(text.matchAll(/^(?:# )?(\w+): /gm), ([, name]) => name)).toEqual(fields)
    // Each list that it shows as a comment is one that the command reads.
    workspace.write('p.pkg', '{ "brings": [] }\n')
    const check = (file: string) => run('p.pkg', '--config', file, '--check')
    expect(await check('new.yaml')).toMatchObject({ code: 0, stderr: expect.stringContaining('is valid') })
    const chosen = text
      .replaceAll(': true', ': false')
      .replace(/^# (overwriteSelectedConnections|importOnlySelectedDictionaryElements): /gm, '$1: ')
    workspace.write('chosen.yaml', chosen.replaceAll('…', '00000000-0000-0000-0000-000000000001'))
    expect(await check('chosen.yaml')).toMatchObject({ code: 0 })
    expect(await run('--init', 'new.yaml')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there already'),
    })
    expect(readFileSync(join(workspace.dir, 'new.yaml'), 'utf8')).toBe(text)
    expect(await run('--init', 'other.yaml', 'p.pkg')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SVC2188'),
    })
    for (const args of [[], ['p.pkg'], ['--config', 'new.yaml']])
      expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('`import` needs') })
    expect(workspace.emulator.requests().filter(({ path }) => String(path).includes('importsessions'))).toEqual([])
  } finally {
    await workspace.close()
  }
})
