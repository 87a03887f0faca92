// Problems as the services of pipelines want them.
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../src/errors/index.ts'
import { rebasePath, rebaseProblems } from '../../src/render/problems/problem-places.ts'
import {
  renderProblemsAzure,
  renderProblemsGithub,
  renderProblemsGitlab,
} from '../../src/render/problems/render-problems-for-services.ts'
import { renderProblemsJunit } from '../../src/render/problems/render-problems-junit.ts'
import { renderProblemsSarif, sarifUri } from '../../src/render/problems/render-problems-sarif.ts'
import { faultsOfJunit, isCodeQuality, isSarif } from './format-shapes.ts'
import { files, many, problems } from './problem-fixture.ts'
import { readXml } from './problem-readers.ts'

const projectFile = 'svcsync.yaml'
const options = { projectFile, files, version: '1.2.3' }
const renderers = {
  'problems-github.txt': renderProblemsGithub,
  'problems-gitlab.json.txt': (list: readonly Problem[]) => renderProblemsGitlab(list, options),
  'problems-azure.txt': renderProblemsAzure,
  'problems-sarif.json.txt': (list: readonly Problem[]) => renderProblemsSarif(list, options),
  'problems-junit.xml.txt': (list: readonly Problem[]) => renderProblemsJunit(list, options),
}

describe('a report of nothing, and of warnings alone,', () => {
  it.each([
    ['nothing', []],
    ['warnings', many('warning', 2)],
    ['all', problems],
  ])('is what its service reads: %s', (_, list) => {
    expect(isSarif(JSON.parse(renderProblemsSarif(list, options))) || isSarif.errors).toBe(true)
    expect(isCodeQuality(JSON.parse(renderProblemsGitlab(list, options))) || isCodeQuality.errors).toBe(true)
    expect(faultsOfJunit(readXml(renderProblemsJunit(list, options)))).toEqual([])
  })

  it('would be found out if it were not', () => {
    const log = JSON.parse(renderProblemsSarif(problems, options))
    log.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0
    expect(isSarif(log)).toBe(false)
    const entries = JSON.parse(renderProblemsGitlab(problems, options))
    entries[0].severity = 'error'
    expect(isCodeQuality(entries)).toBe(false)
    expect(faultsOfJunit(readXml('<?xml version="1.0" encoding="UTF-8"?><testsuite name="x"/>'))).toHaveLength(3)
  })
})

describe.each(Object.entries(renderers))('%s', (golden, render) => {
  it('is as it was', async () => {
    await expect(render(problems)).toMatchFileSnapshot(`golden/${golden}`)
  })

  it('does not depend on the order in which problems were found', () => {
    expect(render([...problems].reverse())).toBe(render(problems))
  })
})

describe('renderProblemsGithub', () => {
  it('puts errors first, gives a place to what has no annotation, and says how much that is', () => {
    const lines = renderProblemsGithub([...many('warning', 11), ...many('error', 12)]).split('\n')
    expect(lines.slice(0, 12).every((line) => line.startsWith('::error '))).toBe(true)
    expect(lines[9]).toContain('::Unknown key `k9`.')
    expect(lines[10]).toContain('::manifests/many.yaml:11:5: Unknown key `k10`.')
    expect(lines.slice(-2)).toEqual([
      '12 errors, 11 warnings. GitHub shows 10 of each in a step: 2 errors and 1 warning not shown there stand above.',
      '',
    ])
  })

  it('says nothing of limits where all is shown', () => {
    expect(renderProblemsGithub(many('error', 10))).toMatch(/\n10 errors, 0 warnings\.\n$/)
    expect(renderProblemsGithub([])).toBe('No problems found.\n')
  })
})

describe('renderProblemsAzure', () => {
  it('fails the task for errors only', () => {
    expect(renderProblemsAzure(many('warning', 1))).not.toContain('task.complete')
    expect(renderProblemsAzure([])).toBe('No problems found.\n')
  })
})

describe('fingerprints', () => {
  const fingerprints = (list: readonly Problem[]): string[] =>
    (JSON.parse(renderProblemsGitlab(list, options)) as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint)

  it('stay when lines move and when warnings become errors', () => {
    const moved = problems.map((problem): Problem => {
      const place = problem.place && { ...problem.place, line: problem.place.line + 40 }
      return { ...problem, severity: 'error', place }
    })
    expect(fingerprints(moved)).toEqual(fingerprints(problems))
  })

  it('tell apart what reads the same', () => {
    const same = many('error', 3).map((problem) => ({ ...problem, message: 'Unknown key' }))
    const first = fingerprints(same)
    expect(new Set(first).size).toBe(3)
    expect(fingerprints(same.slice(0, 2))).toEqual(first.slice(0, 2))
  })
})

describe('renderProblemsSarif', () => {
  it('has one rule for each code, and each result points to its own', () => {
    const [run] = JSON.parse(renderProblemsSarif([...problems, ...many('error', 2)], options)).runs
    const rules: { id: string }[] = run.tool.driver.rules
    expect(rules.map(({ id }) => id)).toEqual(['SVC1101', 'SVC1107', 'SVC1301', 'SVC1502'])
    for (const { ruleId, ruleIndex } of run.results) expect(rules[ruleIndex]?.id).toBe(ruleId)
  })

  it.each([
    ['manifests/a b.yaml', 'manifests/a%20b.yaml'],
    ['../ż/100%#?.yaml', '../%C5%BC/100%25%23%3F.yaml'],
    ['a:b.yaml', 'a%3Ab.yaml'],
    ['/srv/x.yaml', 'file:///srv/x.yaml'],
    ['C:/srv/x.yaml', 'file:///C:/srv/x.yaml'],
    ['\ud800.yaml', '%EF%BF%BD.yaml'],
  ])('writes %s as %s', (path, uri) => {
    expect(sarifUri(path)).toBe(uri)
  })
})

describe('renderProblemsJunit', () => {
  it('gives every test a name of its own, and a file without problems one that passed', () => {
    const same = many('error', 3).map((problem) => ({ ...problem, message: 'Unknown key' }))
    const report = readXml(renderProblemsJunit([...problems, ...same], options))
    expect(report.attributes).toMatchObject({ tests: '7', failures: '5', skipped: '1', errors: '0' })
    const cases = report.children.flatMap(({ children }) => children)
    expect(cases).toHaveLength(7)
    expect(new Set(cases.map(({ attributes }) => `${attributes.classname} ${attributes.name}`)).size).toBe(7)
    expect(cases.filter(({ children }) => children.length === 0).map(({ attributes }) => attributes.file)).toEqual([
      'manifests/users.yaml',
    ])
  })
})

describe('rebaseProblems', () => {
  it.each([
    ['manifests/a.yaml', 'teams/finance', 'teams/finance/manifests/a.yaml'],
    ['../shared/a.yaml', 'teams/finance', 'teams/shared/a.yaml'],
    ['../../../a.yaml', 'teams/finance', '../a.yaml'],
    ['/srv/a.yaml', 'teams', '/srv/a.yaml'],
    ['C:/a.yaml', 'teams', 'C:/a.yaml'],
    ['./a.yaml', '', './a.yaml'],
  ])('%s in `%s` is %s', (path, folder, expected) => {
    expect(rebasePath(path, folder)).toBe(expected)
  })

  it('moves related places as well, and leaves problems without a place alone', () => {
    const [first, , last] = rebaseProblems(problems, 'sub')
    expect(first).toEqual(problems[0])
    expect(last?.place?.file).toBe('sub/manifests/groups.yaml')
    expect(last?.related?.[0]?.place.file).toBe('sub/manifests/finance.yaml')
  })
})
