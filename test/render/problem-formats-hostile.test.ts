// No manifest, however it is written, adds a command to a pipeline's log or breaks a report that a service reads.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareProblems, type Problem } from '../../src/errors/index.ts'
import {
  renderProblemsAzure,
  renderProblemsGithub,
  renderProblemsGitlab,
} from '../../src/render/problems/render-problems-for-services.ts'
import { renderProblemsJunit } from '../../src/render/problems/render-problems-junit.ts'
import { renderProblemsSarif } from '../../src/render/problems/render-problems-sarif.ts'
import { neutralise } from '../../src/render/text/neutralise.ts'
import { faultsOfJunit, isCodeQuality, isSarif } from './format-shapes.ts'
import { hostileProblems } from './problem-fixture.ts'
import { readAzureCommand, readGithubCommand, readXml } from './problem-readers.ts'

const options = { projectFile: 'svcsync.yaml', files: ['svcsync.yaml'], version: '1.2.3' }
const control = /(?!\n|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const runs = { numRuns: 150 }

const inOrder = (problems: readonly Problem[]): Problem[] => [...problems].sort(compareProblems)

describe('hostile problems', () => {
  it('are one GitHub command each, and nothing else', () => {
    const check = (problems: readonly Problem[]): void => {
      const text = renderProblemsGithub(problems)
      expect(text).not.toMatch(control)
      const commands = text.trimEnd().split('\n').slice(0, -1).map(readGithubCommand)
      const sorted = inOrder(problems)
      const expected = [...sorted.filter(isError), ...sorted.filter((problem) => !isError(problem))]
      expect(commands).toHaveLength(problems.length)
      for (const [index, { severity, code, place, message }] of expected.entries()) {
        const where = place && { file: neutralise(place.file), line: `${place.line}`, col: `${place.column}` }
        expect(commands[index]).toMatchObject({ name: severity, properties: { ...where, title: neutralise(code) } })
        expect(commands[index]?.data).toContain(neutralise(message))
      }
    }
    fc.assert(fc.property(hostileProblems, check), runs)
  })

  it('are one Azure command each, and nothing else', () => {
    const check = (problems: readonly Problem[]): void => {
      const text = renderProblemsAzure(problems)
      expect(text).not.toMatch(control)
      const lines = text.trimEnd().split('\n')
      expect(lines).toHaveLength(problems.length + 1)
      for (const [index, { severity, code, place, message }] of inOrder(problems).entries()) {
        const where = place && { sourcepath: neutralise(place.file), linenumber: `${place.line}` }
        const command = readAzureCommand(lines[index] ?? '')
        expect(command).toMatchObject({ name: 'task.logissue', properties: { type: severity, ...where } })
        expect(command?.properties.code).toBe(neutralise(code))
        expect(command?.data).toContain(neutralise(message))
      }
      const end = readAzureCommand(lines.at(-1) ?? '')
      expect(end?.properties).toEqual(problems.some(isError) ? { result: 'Failed' } : undefined)
    }
    fc.assert(fc.property(hostileProblems, check), runs)
  })

  it('stay data in a Code Quality report', () => {
    const check = (problems: readonly Problem[]): void => {
      const text = renderProblemsGitlab(problems, options)
      expectQuiet(text)
      expect(isCodeQuality(JSON.parse(text)) || isCodeQuality.errors).toBe(true)
      const entries = JSON.parse(text) as { fingerprint: string; description: string; location: { path: string } }[]
      expect(new Set(entries.map(({ fingerprint }) => fingerprint)).size).toBe(problems.length)
      for (const [index, problem] of inOrder(problems).entries()) {
        expect(entries[index]?.location.path).toBe(problem.place?.file ?? 'svcsync.yaml')
        expect(entries[index]?.description).toContain(neutralise(problem.message))
      }
    }
    fc.assert(fc.property(hostileProblems, check), runs)
  })

  it('stay data in SARIF', () => {
    const check = (problems: readonly Problem[]): void => {
      const text = renderProblemsSarif(problems, options)
      expectQuiet(text)
      expect(isSarif(JSON.parse(text)) || isSarif.errors).toBe(true)
      const [run] = JSON.parse(text).runs
      expect(run.results).toHaveLength(problems.length)
      for (const result of run.results) {
        const [{ physicalLocation }] = result.locations
        expect(physicalLocation.artifactLocation.uri).toMatch(
          /^(?:[\w.~!*'()/-]|%[\dA-F]{2}|^file:\/\/(?:\/[A-Za-z]:)?)*$/,
        )
        expect(physicalLocation.region.startLine).toBeGreaterThan(0)
        expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId)
        expect(result.message.text).not.toContain('](')
      }
    }
    fc.assert(fc.property(hostileProblems, check), runs)
  })

  it('stay text in a JUnit report', () => {
    const check = (problems: readonly Problem[]): void => {
      const text = renderProblemsJunit(problems, options)
      expectQuiet(text)
      const report = readXml(text)
      expect(faultsOfJunit(report)).toEqual([])
      const cases = report.children.flatMap(({ children }) => children)
      expect(report.attributes.tests).toBe(String(cases.length))
      const failures = cases.flatMap(({ children }) => children).filter(({ name }) => name === 'failure')
      expect(failures.map(({ attributes }) => attributes.type).sort()).toEqual(
        problems
          .filter(isError)
          .map(({ code }) => visible(code))
          .sort(),
      )
      for (const { attributes, text } of failures) expect(text).toContain(attributes.message)
    }
    fc.assert(fc.property(hostileProblems, check), runs)
  })
})

function isError({ severity }: Problem): boolean {
  return severity === 'error'
}

/** As XML shows it, which cannot hold the last two code units either. */
function visible(text: string): string {
  return neutralise(text).replaceAll('\ufffe', '\\u{fffe}').replaceAll('\uffff', '\\u{ffff}')
}

/** Neither a terminal nor a runner finds anything to obey in it. */
function expectQuiet(text: string): void {
  expect(text).not.toMatch(control)
  expect(text).not.toContain('##')
  expect(text).not.toMatch(/^\s*::/m)
}
