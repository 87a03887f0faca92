// Every code that a command can be brought to print, as the person sees it who gets it: the whole output of the built
// command, kept in problem-texts.
import { readdirSync, readFileSync } from 'node:fs'
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
  SVC1000: 'is never shown: the problems that it carries are. test/render/problems-text.test.ts',
  SVC1503: 'no setting is without effect in this version',
  SVC2010: 'takes a stdout that is full. test/e2e/saved-plans.test.ts',
  SVC2044: 'takes a run that goes on. test/scaffold/write-new-files.test.ts',
  SVC2105: 'takes a plan that was saved before. test/runs/saved-plans.test.ts',
  SVC2106: 'takes a plan that was saved before. test/runs/saved-plans.test.ts',
  SVC2107: 'takes a plan that was saved before. test/e2e/saved-plans.test.ts',
  SVC2126: 'takes an apply that was killed, and somebody else. test/faults/kills.test.ts',
  SVC2815: 'is the answer to a request of a program. test/emulator/control.test.ts',
  SVC3001: 'a host that refuses: which ports do depends on the machine. test/platform/network.test.ts',
  SVC3002: 'a name server that knows no such host. test/platform/client-retry.test.ts',
  SVC3003: 'a certificate of a foreign authority. test/platform/client-retry.test.ts',
  SVC3004: 'a proxy. test/platform/network.test.ts',
  SVC3005: 'a second interrupt. test/platform/network.test.ts',
  SVC3006: 'why an object could not be read, told without its code. test/platform/client-retry.test.ts',
  SVC3007: 'a platform that goes down in the middle of a run. test/platform',
  SVC3011: 'a minute without an answer. test/platform/network.test.ts',
  SVC3020: 'why an object could not be read, told without its code. test/platform/client.test.ts',
  SVC3021: 'why an object could not be read, told without its code. test/platform/network.test.ts',
  SVC3024: 'a list that does not end. test/live/read-pages.test.ts',
  SVC3025: 'why an object could not be read, told without its code. test/live',
  SVC3030: 'why an object or a step failed, told without its code. test/platform/client.test.ts',
  SVC3031: 'why an object or a step failed, told without its code. test/platform/client.test.ts',
  SVC3032: 'why a step failed, told without its code. test/platform/client.test.ts',
  SVC3033: 'why a step failed, told without its code. test/platform/client.test.ts',
  SVC3034: 'why a step failed, told without its code. test/platform/client.test.ts',
  SVC3035: 'why an object or a step failed, told without its code. test/platform/client-retry.test.ts',
  SVC3041: 'why an object or a step failed, told without its code. test/platform/client.test.ts',
  SVC3050: 'for programs that connect by themselves: the project file says SVC1501. test/platform/edge-rules.test.ts',
  SVC3051: 'for programs that connect by themselves: the project file says SVC1501. test/platform/edge-rules.test.ts',
  SVC3054: 'why an object failed, told without its code. test/platform/wire-names.test.ts',
  SVC3055: 'for programs that connect by themselves: the project file says SVC1201. test/platform/edge-rules.test.ts',
  SVC3056: 'a proxy variable. test/platform/tls.test.ts',
  SVC8100: 'is the answer of the emulator to a request. test/emulator',
  SVC9000: 'a defect, which no case should have. test/render/problems-text.test.ts',
}

const advice = `Codes of docs/problems.md without a text in test/e2e/problem-texts. For each, write SVCnnnn.txt there: what it
is about, a line like "$ svcsync validate", and the files that bring it about, as in the cases beside it. Then run
  npm run build && npx vitest run test/e2e/problem-texts.test.ts -u
and read what was written as the one who gets it: does it say what to do? A code that no command can be brought to print
without a broken platform goes into the list "elsewhere" of this test, with the reason and the test that covers it.
`

describe('what is printed for', () => {
  it.concurrent.for(cases)('%s', async (file, { expect }) => {
    const path = join(folder, file)
    const found = await runTextCase(parseTextCase(readFileSync(path, 'utf8')))
    expect(found.slice(found.indexOf('\n== exit code')), `${file} is about another code`).toContain(codeOf(file))
    await expect(found).toMatchFileSnapshot(path)
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
