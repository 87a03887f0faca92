// Small things that a new administrator meets, on the built command.
import { readFileSync } from 'node:fs'

import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'

const run = (...args: string[]) => runCommand(args, resolve('.'))

it.each(['SVC1301', 'svc1301', '1301'])('explains %s from the page of problems', async (code) => {
  const { stdout, ...rest } = await run('explain', code)
  expect(rest).toMatchObject({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^SVC1301 {2}something is declared twice\n {4}what to do: keep one of the two places/)
  expect(stdout).not.toContain('](')
})

it('names the page to which the advice on a code leads', async () => {
  const { stdout } = await run('explain', 'SVC2233')
  expect(stdout).toContain('    see: docs/ledger.md#the-remote\n')
})

it('lists every code', async () => {
  const { stdout } = await run('explain')
  const codes = [...readFileSync('docs/problems.md', 'utf8').matchAll(/^\| (SVC\d{4}) /gm)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(100)
  for (const code of codes) expect(stdout).toContain(`\n  ${code}  `)
})

it('refuses a second target', async () => {
  const { code, stderr } = await run('export', '--target', 'test', '-t', 'prod')
  expect(code).toBe(1)
  expect(stderr).toContain('A run has one target, and `test` is named already')
})

it.each(['plan --since=', 'apply --yes --base-url=', 'drift -t x --only=', 'api GET /me --project='])(
  'refuses an option with an empty value: %s',
  async (line) => {
    const { code, stdout, stderr } = await run(...line.split(' '))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: option '.+' argument '' is invalid\. Write a value, or leave the option out\.\n$/)
  },
)

it.each(['--help', 'apply --help', 'validate --help'])(
  'ends %s with exit codes and where more is written',
  async (args) => {
    const { stdout } = await run(...args.split(' '))
    expect(stdout).toContain('\nExit codes:\n  0  done, nothing (more) to do\n  1  an error')
    expect(stdout.trimEnd().split('\n').at(-2)).toMatch(/^Documentation: README\.md and docs\/commands/)
  },
)
