// `svcsync completion`, in a real bash: what the tab key gives.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const lines = [
  ['svcsync', 'ap'],
  // As bash divides `--format=m`.
  ['svcsync', 'plan', '--format', '=', 'm'],
  ['svcsync', 'access', '--level', 'Modify', 'ex'],
  // Here bash goes on with names of files.
  ['svcsync', 'plan', '--out', ''],
]

it.skipIf(!existsSync('/bin/bash'))('completes commands, options and their values in bash', () => {
  const svcsync = `svcsync() { '${process.execPath}' '${resolve('dist/svcsync.cjs')}' "$@"; }`
  const asked = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _svcsync; echo "\${COMPREPLY[@]}"`,
  )
  const script = [svcsync, 'eval "$(svcsync completion bash)"', ...asked, 'complete -p svcsync'].join('\n')
  const printed = execFileSync('/bin/bash', ['--norc', '--noprofile', '-uc', script], { encoding: 'utf8' })
  expect(printed.split('\n')).toEqual([
    'apply api',
    'markdown',
    'explain',
    '',
    'complete -o default -F _svcsync svcsync',
    '',
  ])
})
