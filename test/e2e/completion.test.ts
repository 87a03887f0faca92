// `svcsync completion`, in real shells: what the tab key gives.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeProject } from '../../src/scaffold/write-project.ts'

const program = `'${process.execPath}' '${resolve('dist/svcsync.cjs')}'`
const lines = [
  ['svcsync', 'ap'],
  // As bash divides `--format=m`.
  ['svcsync', 'plan', '--format', '=', 'm'],
  ['svcsync', 'access', '--level', 'Modify', 'ex'],
  ['svcsync', 'plan', '--target', 'l'],
  ['svcsync', 'plan', '-t', 'test', '--only', 'user/a'],
  ['svcsync', 'explain', 'SVC1107'],
  // Here a shell goes on with names of files.
  ['svcsync', 'plan', '--out', ''],
]
const completed = ['api apply', 'markdown', 'explain', 'local', 'user/anna.nowak@example.com', 'SVC1107', '']

let dir: string
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-completion-'))
  await writeProject(dir)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Sorted: each shell has an order of its own. `args`: those before the script. */
function printed(shell: string, args: readonly string[], script: readonly string[]): readonly string[] {
  const env = { ...process.env, HOME: dir }
  const text = execFileSync(shell, [...args, script.join('\n')], { encoding: 'utf8', cwd: dir, env })
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').sort().join(' '))
}

const bash = '/bin/bash'
it.skipIf(!existsSync(bash))('completes commands, options and their values in bash', () => {
  const asked = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _svcsync; echo "\${COMPREPLY[@]}"`,
  )
  const script = [
    `svcsync() { ${program} "$@"; }`,
    'eval "$(svcsync completion bash)"',
    ...asked,
    'echo .',
    'complete -p svcsync',
  ]
  expect(printed(bash, ['--norc', '--noprofile', '-uc'], script)).toEqual([
    ...completed,
    '.',
    '-F -o _svcsync complete default svcsync',
  ])
})

const zsh = '/usr/bin/zsh'
it.skipIf(!existsSync(zsh))('completes them in zsh', () => {
  const asked = lines.map(
    (words) => `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _svcsync`,
  )
  const stand = ['compdef() {}', 'compadd() { shift; print -r -- "$@" }', "_files() { print -r -- '' }"]
  const script = [`svcsync() { ${program} "$@"; }`, ...stand, 'eval "$(svcsync completion zsh)"', ...asked, 'echo .']
  expect(printed(zsh, ['-fc'], script)).toEqual([...completed, '.'])
})

const fish = '/usr/bin/fish'
it.skipIf(!existsSync(fish))('completes them in fish', () => {
  const asked = lines
    .filter((words) => !words.includes('='))
    .slice(0, -1)
    .map((words) => `complete -C '${words.join(' ')}' | string split -f 1 \\t | string join ' '`)
  const script = [`function svcsync; ${program} $argv; end`, 'svcsync completion fish | source', ...asked, 'true']
  const expected = completed.filter((line) => line !== 'markdown' && line !== '')
  expect(printed(fish, ['-N', '-c'], script)).toEqual(expected)
})
