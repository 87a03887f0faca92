// The program in examples/library: it compiles where nothing but the package is installed, and does what it says.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
import { writeProject } from '../../src/scaffold/write-project.ts'
import { startCommand } from '../harness/command.ts'
import { isThorough } from '../harness/thorough.ts'

const example = readFileSync('examples/library/plan.ts', 'utf8')

/** Values, types, and a class, which is both. */
const ofCommonJs = `import { BrokenApplyError, planRun, type Plan } from 'svcsync'
export const isBroken = (error: unknown): error is BrokenApplyError => error instanceof BrokenApplyError
export const plan: (...args: Parameters<typeof planRun>) => Promise<{ readonly plan: Plan }> = planRun
`

/** 5.6, which a package brings along. It takes ten times as long as the present one. */
const olderTypeScript = 'node_modules/@arethetypeswrong/core/node_modules/typescript'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-library-'))
  // Copied, since a link would lead to where the types of bundled packages are.
  const installed = join(dir, 'node_modules/svcsync')
  mkdirSync(join(installed, 'dist'), { recursive: true })
  for (const part of ['package.json', 'dist/index.js', 'dist/index.cjs', 'dist/chunks', 'dist/types']) {
    cpSync(part, join(installed, part), { recursive: true })
  }
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

it('compiles in the strictest mode, with no types of bundled packages at hand', () => {
  symlinkSync(resolve('node_modules/@types'), join(dir, 'node_modules/@types'), 'junction')
  for (const file of ['package.json', 'tsconfig.json', 'plan.ts'])
    cpSync(join('examples/library', file), join(dir, file))
  // The compiler's own library is not ours to check, and takes a third of the time.
  const checked = ['--noEmit', '--skipDefaultLibCheck']
  writeFileSync(join(dir, 'required.cts'), ofCommonJs)
  const config = join(dir, 'tsconfig.json')
  writeFileSync(config, readFileSync(config, 'utf8').replace('"plan.ts"', '"plan.ts", "required.cts"'))
  const compile = (compiler: string, ...more: string[]) =>
    execFileSync(process.execPath, [resolve(compiler), ...checked, ...more], { cwd: dir, encoding: 'utf8' })
  expect(compile('node_modules/typescript/bin/tsc')).toBe('')
  if (!isThorough) return
  expect(compile(`${olderTypeScript}/bin/tsc`)).toBe('')
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler']
  expect(compile('node_modules/typescript/bin/tsc', ...bundler)).toBe('')
})

it('is there for require, too, and an error that nobody catches shows one line of it', async () => {
  const script = `const { kinds, openProject } = require('svcsync')
openProject({ cwd: ${JSON.stringify(dir)}, env: {}, kinds, needCredentials: true, nowMs: 0 })`
  writeFileSync(join(dir, 'example.cjs'), script)
  const { code, stderr } = await startCommand(['example.cjs'], dir, {}, { program: 'none' }).ended
  expect(code).toBe(1)
  expect(stderr).toContain('There is no svcsync.yaml in this folder')
  expect(stderr.length).toBeLessThan(4000)
})

it('plans, applies, and shows what is wrong', async () => {
  await writeProject(dir)
  writeFileSync(join(dir, 'example.mjs'), example)
  const emulator = await startEmulator({ tenantFile: join(dir, 'tenant.yaml') })
  try {
    const lines = readFileSync(join(dir, '.env.example'), 'utf8').split('\n')
    const variables = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split('=') as [string, string])
    const env = Object.fromEntries(variables)
    const file = join(dir, 'svcsync.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:4010', emulator.url))
    const run = (...args: string[]) => startCommand(['example.mjs', ...args], dir, env, { program: 'none' }).ended
    const planned = await run()
    expect(planned).toMatchObject({ code: 0, stderr: '' })
    expect(planned.stdout).toContain('create user/anna.nowak@example.com\n')
    expect(planned.stdout).toMatch(/^32 requests, digest (?:\w+:)?[0-9a-f]{64}$/m)
    expect((await run('--apply')).stdout).toMatch(/\nconverged\n$/)
    expect((await run()).stdout).toMatch(/^0 requests, /m)
    writeFileSync(join(dir, 'manifests/x.yaml'), 'groups:\n  - { svcId: x@example.com, nmae: X }\n')
    const wrong = await run()
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('`nmae` is not a key of an item in `groups`')
  } finally {
    await emulator.close()
  }
})
