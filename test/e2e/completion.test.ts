// `svcsync completion`, in real shells: what the tab key gives.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeProject } from '../../src/scaffold/write-project.ts'
import { startScript } from '../harness/github-job.ts'
import { type HostDoor, openHostDoor, putTools } from '../harness/host-door.ts'

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
let bin: string
let door: HostDoor
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-completion-'))
  bin = mkdtempSync(join(tmpdir(), 'svcsync-bin-'))
  door = await openHostDoor()
  putTools(bin, door)
  await writeProject(dir)
})
afterAll(() => {
  door.close()
  for (const each of [dir, bin]) rmSync(each, { recursive: true, force: true })
})

/** Sorted: each shell has an order of its own. `args`: those before the script. */
async function printed(shell: string, args: readonly string[], script: readonly string[]): Promise<readonly string[]> {
  const env = { ...process.env, HOME: dir, PATH: `${bin}:${process.env.PATH}` } as Record<string, string>
  const { log } = await startScript([shell, ...args, script.join('\n')], dir, env)
  return log
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').sort().join(' '))
}

const bash = '/bin/bash'
it.skipIf(!existsSync(bash))('completes commands, options and their values in bash', async () => {
  const asked = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); ` +
      `COMP_CWORD=${words.length - 1}; _svcsync; echo "\${COMPREPLY[@]}"`,
  )
  const script = ['eval "$(svcsync completion bash)"', ...asked, 'echo .', 'complete -p svcsync']
  expect(await printed(bash, ['--norc', '--noprofile', '-uc'], script)).toEqual([
    ...completed,
    '.',
    '-F -o _svcsync complete default svcsync',
  ])
})

it.skipIf(!existsSync(bash))('runs nothing that the name of a target holds', async () => {
  const own = join(dir, 'foreign')
  const names = ['$(touch ran)', '`touch ran`', '$HOME', '*', 'a b', 'prod']
  mkdirSync(own)
  writeFileSync(
    join(own, 'svcsync.yaml'),
    `version: 1\nmanifests: [m]\ntargets: ${JSON.stringify(Object.fromEntries(names.map((name) => [name, {}])))}\n`,
  )
  const ask = (line: string) => `COMP_WORDS=(${line}); COMP_CWORD=3; _svcsync; echo "\${COMPREPLY[@]}"`
  const script = ['cd foreign', 'eval "$(svcsync completion bash)"', ask(`svcsync plan -t ''`)]
  // Whatever a command prints is taken as it is.
  script.push(`svcsync() { printf '%s\\n' '$(touch ran)' '*'; }`, ask(`svcsync plan -t '$'`))
  expect(await printed(bash, ['--norc', '--noprofile', '-uc'], script)).toEqual(['prod', '$(touch * ran)'])
  expect(readdirSync(own)).toEqual(['svcsync.yaml'])
})

const zsh = '/usr/bin/zsh'
it.skipIf(!existsSync(zsh))('completes them in zsh', async () => {
  const asked = lines.map(
    (words) => `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _svcsync`,
  )
  const stand = ['compdef() {}', 'compadd() { shift; print -r -- "$@" }', "_files() { print -r -- '' }"]
  const script = [...stand, 'eval "$(svcsync completion zsh)"', ...asked, 'echo .']
  expect(await printed(zsh, ['-fc'], script)).toEqual([...completed, '.'])
})

const fish = '/usr/bin/fish'
it.skipIf(!existsSync(fish))('completes them in fish', async () => {
  const asked = lines
    .filter((words) => !words.includes('='))
    .slice(0, -1)
    .map((words) => `complete -C '${words.join(' ')}' | string split -f 1 \\t | string join ' '`)
  const script = ['svcsync completion fish | source', ...asked, 'true']
  const expected = completed.filter((line) => line !== 'markdown' && line !== '')
  expect(await printed(fish, ['-N', '-c'], script)).toEqual(expected)
})
