// The emulator as a newcomer runs it: below npx and its shell, with a real tree of processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-npx-'))
  mkdirSync(join(dir, 'node_modules/.bin'), { recursive: true })
  symlinkSync(resolve('dist/svcsync.cjs'), join(dir, 'node_modules/.bin/svcsync'))
  writeFileSync(join(dir, 'package.json'), '{ "name": "newcomer", "version": "1.0.0" }')
})
afterAll(() => rmSync(dir, { recursive: true }))

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** Resolves with the address, once it is printed. */
function addressOf(npx: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((found, fail) => {
    npx.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0]
      if (url !== undefined) found(url)
    })
    npx.on('exit', () => fail(new TypeError(`npx has ended: ${printed}`)))
  })
}

it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGKILL', 'SIGINT'] as const)(
  'ends with npx, whatever ends it: %s',
  async (signal) => {
    const npx = spawn('npx', ['--no', 'svcsync', 'emulator'], {
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', HOME: dir },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A group of its own, as a terminal gives it: Ctrl-C goes to all in it, and npx leaves it to them.
      detached: true,
    })
    const url = await addressOf(npx)
    expect(await answers(url)).toBe(true)
    process.kill(signal === 'SIGINT' ? -(npx.pid as number) : (npx.pid as number), signal)
    // As long as the test may take: how soon it ends depends on the machine.
    while (await answers(url)) await delay(100)
  },
)
