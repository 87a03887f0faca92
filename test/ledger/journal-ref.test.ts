// A journal in a ref of a real remote: as an apply goes on, and where somebody else keeps one there.
import { appendFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { keepJournal, readKeptJournal } from '../../src/ledger/journal-ref.ts'
import { openRemote, type Remote } from '../../src/ledger/remote.ts'
import { type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git, openRepository } from '../harness/repository.ts'

const ref = 'refs/svcsync/journal/prod'
const lines = ['{"event":"begun"}\n', '{"event":"sending"}\n', '{"event":"finished"}\n']
let lab: GitRemote
let own: Remote
let other: Remote
let path: string
beforeAll(() => {
  lab = openGitRemote()
  const first = lab.clone('own')
  openRepository(first).commit()
  git(first, 'push', '--quiet', 'origin', 'HEAD:main')
  ;[own, other] = [first, lab.clone('other')].map((dir) => openRemote(join(dir, 'svcsync.yaml'), 'origin')) as [
    Remote,
    Remote,
  ]
  path = join(own.dir, 'journal')
})
afterAll(() => lab.close())

const wake: (() => void)[] = []
const troubles: string[] = []
const delays: number[] = []
let nowMs: number
/** Lets everybody who sleeps go on, that much later. */
const pass = (ms: number): void => {
  nowMs += ms
  for (const each of wake.splice(0)) each()
}
beforeEach(() => {
  for (const all of [wake, troubles, delays]) all.splice(0)
  nowMs = Date.parse('2026-11-22T12:00:00Z')
  git(lab.path, 'update-ref', '-d', ref)
})
const keep = async (remote: Remote, at = path) =>
  keepJournal(remote, await readKeptJournal(remote, ref), {
    path: at,
    clock: () => nowMs,
    sleep: (delayMs, signal) => {
      delays.push(delayMs)
      return new Promise((resolve) => {
        wake.push(resolve)
        signal?.addEventListener('abort', () => resolve())
      })
    },
    onTrouble: (sentence) => troubles.push(sentence),
  })
const kept = () => readKeptJournal(other, ref)

it('is there before the first write, follows at intervals, and ends with the apply', async () => {
  expect(await kept()).toEqual({ ref, entry: undefined, bytes: Buffer.alloc(0), isFinished: true })
  writeFileSync(path, lines[0] ?? '')
  const keeper = await keep(own)
  await keeper.begun()
  const { entry, bytes, isFinished } = await kept()
  expect([String(bytes), isFinished]).toEqual([lines[0], false])
  // Nothing has come since.
  pass(15_000)
  await expect.poll(() => delays).toEqual([15_000, 15_000])
  expect((await kept()).entry).toBe(entry)
  appendFileSync(path, lines[1] ?? '')
  const seen = async () => {
    pass(15_000)
    return String((await kept()).bytes)
  }
  await expect.poll(seen).toBe(`${lines[0]}${lines[1]}`)
  appendFileSync(path, lines[2] ?? '')
  await keeper.ended()
  const whole = await kept()
  expect([String(whole.bytes), whole.isFinished, troubles]).toEqual([lines.join(''), true, []])
  appendFileSync(path, 'more')
  await keeper.ended()
  expect((await kept()).entry).toBe(whole.entry)
})

it('ends whole where a push is under way as the apply ends', async () => {
  writeFileSync(path, lines[0] ?? '')
  const keeper = await keep(own)
  await keeper.begun()
  appendFileSync(path, lines[1] ?? '')
  pass(15_000)
  await turn()
  appendFileSync(path, lines[2] ?? '')
  await keeper.ended()
  expect([String((await kept()).bytes), troubles]).toEqual([lines.join(''), []])
})

it('that another apply keeps is not replaced: not at the beginning, and at the end it is said', async () => {
  writeFileSync(path, lines[0] ?? '')
  const theirs = join(other.dir, 'journal')
  writeFileSync(theirs, `${lines[0]}${lines[1]}`)
  const [keeper, second] = [await keep(own), await keep(other, theirs)]
  // An apply that never began has no end.
  await second.ended()
  await keeper.begun()
  await expect(second.begun()).rejects.toMatchObject({
    code: 'SVC2236',
    message: `${ref} was moved by somebody else`,
    hint: 'Another apply may keep its journal there: `svcsync status` shows who applies.',
  })
  git(lab.path, 'update-ref', ref, 'main')
  appendFileSync(path, lines[1] ?? '')
  await keeper.ended()
  expect(troubles).toEqual([
    `The end of the journal is not in ${ref}: ${ref} was moved by somebody else. It is in ${path}.`,
  ])
  await expect(kept()).rejects.toMatchObject({
    code: 'SVC2232',
    message: `${ref} on the remote \`origin\` is no journal of svcsync`,
    hint: expect.stringContaining(`git push origin :${ref}`),
  })
})

it('that git cannot store takes no other one away', async () => {
  writeFileSync(path, lines[0] ?? '')
  const [keeper, objects] = [await keep(own), join(own.dir, '.git/objects')]
  await keeper.begun()
  const { entry } = await kept()
  appendFileSync(path, lines[1] ?? '')
  renameSync(objects, `${objects}.kept`)
  symlinkSync('/proc', objects)
  await keeper.ended()
  rmSync(objects)
  renameSync(`${objects}.kept`, objects)
  expect(troubles).toEqual([
    `The end of the journal is not in ${ref}: git cannot store the journal for ${ref}. It is in ${path}.`,
  ])
  expect((await kept()).entry).toBe(entry)
})
