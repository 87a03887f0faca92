// Every code that a command can be brought to print, as the person sees it who gets it: the whole output of the built
// command, kept in problem-texts.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseTextCase, runTextCase } from '../harness/text-case.ts'

const folder = join(import.meta.dirname, 'problem-texts')
const page = readFileSync(resolve(import.meta.dirname, '../../docs/problems.md'), 'utf8')
const documented = [...page.matchAll(/^\| (SVC\d{4}) \|/gm)].map((match) => match[1] as string)
const cases = readdirSync(folder).sort()
const codeOf = (file: string): string => file.slice(0, 'SVC0000'.length)

/** Codes without a text here: why, and where they are covered. */
const elsewhere: Readonly<Record<string, string>> = {
  SVC1323: 'takes an installation that is newer than svcsync. test/runs/connection-logins.test.ts',
  SVC1337: 'takes a review that has begun. test/e2e/access-review.test.ts',
  SVC1345: 'takes a plan of a part. test/runs/policies.test.ts',
  SVC1503: 'no setting is without effect in this version: no source can show it',
  SVC1807: 'takes a platform where somebody can do what a policy denies. test/runs/policies-on-access.test.ts',
  SVC2134: 'takes an answer that never comes, and a process that nothing keeps alive. test/e2e/unfinished.test.ts',
  SVC2150: 'takes two users of the system. test/project/find-project.test.ts, test/e2e/reach.test.ts',
  SVC2195: 'takes a git repository with a commit before. test/runs/time-bounds.test.ts',
  SVC2203: 'takes a clone that is broken, or lacks a part. test/git/commit-tree.test.ts',
  SVC2234: 'takes two clones of a remote. test/e2e/ledger.test.ts',
  SVC2235: 'takes two clones of a remote. test/ledger/lease.test.ts',
  SVC2236: 'takes a git repository with a remote. test/e2e/ledger.test.ts',
  SVC2239: 'takes a git repository with a remote. test/e2e/ledger.test.ts',
  SVC2245: 'takes a git repository with a remote. test/e2e/signed-ledger.test.ts',
  SVC2246: 'takes a git repository with a remote, and no key. test/e2e/signed-ledger.test.ts',
  SVC2248: 'is a warning beside a result. test/e2e/run-history.test.ts',
  SVC2303: 'takes a file that cannot be written. test/e2e/people.test.ts',
  SVC2306: 'takes a platform that moves between two plans. The check: test/laws/accept.test.ts',
  SVC2311: 'takes a review that has begun. test/e2e/access-review.test.ts',
  SVC2312: 'takes a review that was decided. test/e2e/access-review.test.ts',
  SVC2313: 'takes a review that has ended. test/e2e/access-review.test.ts',
  SVC2315: 'takes a platform that moves between two plans. The check: test/laws/access-change.test.ts',
  SVC3024: 'takes a platform that makes up ten thousand pages. test/live/read-pages.test.ts',
  SVC2821: 'is a warning beside a result. test/e2e/report-command.test.ts',
  SVC2823: 'takes a forge that refuses. test/e2e/accept-request.test.ts',
  SVC2824: 'takes a git repository with a remote. test/e2e/accept-request.test.ts',
  SVC2825: 'takes somebody who pushes at the same moment. test/ledger/branches.test.ts',
  SVC2826: 'takes a git repository with a remote. test/e2e/accept-request.test.ts',
  SVC2827: 'takes a webhook that refuses. test/e2e/drift-issue.test.ts',
  SVC2822: 'takes a forge that refuses. test/e2e/drift-issue.test.ts',
  SVC2185: 'takes a GitHub that refuses. test/e2e/report-command.test.ts',
  SVC2817: 'takes a GitHub that refuses. test/forge/github.test.ts',
  SVC2816: 'is of the action, and no command. test/e2e/action.test.ts',
  SVC3096: 'takes a platform whose answer lacks its status. test/runs/import.test.ts',
  SVC2183: 'takes a platform whose answer lacks its mode. test/e2e/api.test.ts',
  SVC3068: 'takes a platform that fills the memory. test/hostile/lists.test.ts',
  SVC8100: 'is inside the emulator: its answers have the form of the platform, without a code. test/emulator',
}

const advice = `Codes of docs/problems.md without a text in test/e2e/problem-texts. For each, write SVCnnnn.txt there: what it
is about, a line like "$ svcsync validate", and the files that bring it about, as in the cases beside it. Then run
  npm run build && npx vitest run test/e2e/problem-texts.test.ts -u
and read what was written as the one who gets it: does it say what to do? A code that no command can be brought to print
without a broken platform goes into the list "elsewhere" of this test, with the reason and the test that covers it.
`

describe('what is printed for', () => {
  it.concurrent.for(cases)('%s', async (file, { expect, skip }) => {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    // Not every system has the device.
    skip(text.includes('/dev/full') && !existsSync('/dev/full'))
    const found = await runTextCase(parseTextCase(text))
    await expect(found).toMatchFileSnapshot(path)
    expect(found.slice(found.indexOf('\n== exit code')), `${file} is about another code`).toContain(codeOf(file))
  })
})

it('every documented code has a text', () => {
  const shown = new Set(cases.map(codeOf))
  const missing = documented.filter((code) => !shown.has(code) && elsewhere[code] === undefined)
  expect(missing, missing.length === 0 ? undefined : advice).toEqual([])
})

it('no code is excused that has a text, or that there is not', () => {
  const shown = new Set(cases.map(codeOf))
  expect(Object.keys(elsewhere).filter((code) => shown.has(code) || !documented.includes(code))).toEqual([])
  expect([...shown].filter((code) => !documented.includes(code))).toEqual([])
})
