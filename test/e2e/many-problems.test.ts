// Problems by the ten thousand: what is printed stays readable, and says how many more there are.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'

const members = 20_000
let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  mkdirSync(join(dir, 'm'))
  const target = '{ baseUrl: "https://svc.example.com" }'
  writeFileSync(join(dir, 'svcsync.yaml'), `version: 1\nmanifests: [m]\ntarget: t\ntargets: { t: ${target} }\n`)
  const list = Array.from({ length: members }, () => '      - anna@example.com\n').join('')
  writeFileSync(join(dir, 'm/a.yaml'), `groups:\n  - svcId: g@x\n    name: G\n    members:\n${list}`)
})
afterAll(() => rmSync(dir, { recursive: true }))

it('are one error of one cause, with five places and a count', async () => {
  const { code, stdout } = await runCommand(['validate'], dir)
  expect(code).toBe(1)
  expect(stdout.match(/^ {2}error SVC/gm)).toHaveLength(1)
  expect(stdout.match(/^ {6}m\/a.yaml:/gm)).toHaveLength(4)
  expect(stdout).toContain('    and in 19,998 more places:\n')
  expect(stdout).toContain('      … and 19,994 more\n')
  expect(stdout).toContain('\n1 error in 19,999 places, 1 warning\n')
  expect(stdout.length).toBeLessThan(2000)
})

it.each(['json', 'github', 'gitlab', 'azure', 'sarif', 'junit'])('reach a program up to 10,000: %s', async (format) => {
  const args = ['validate', '--format', format]
  // So much goes through a pipe in many pieces, and the process must not end before the last.
  const { code, stdout } = await (format === 'json' ? startCommand(args, dir).ended : runCommand(args, dir))
  expect(code).toBe(1)
  // Each names them once, junit three times.
  expect(stdout.match(/anna@example.com/g)).toHaveLength(format === 'junit' ? 30_000 : 10_000)
  expect(stdout.length).toBeLessThan(16_000_000)
  if (format !== 'json') return
  const { counts, omitted, problems } = JSON.parse(stdout)
  expect(counts.errors).toBe(members - 1)
  expect(problems).toHaveLength(10_000)
  expect(omitted).toBe(counts.errors + counts.warnings - 10_000)
})
