// `svcsync policies test`: runs the tests of policies, and says which policies they reach.
import { cwd } from 'node:process'
import { kinds } from '@svcsync/kinds/index.ts'
import type { PolicyTestResult } from '@svcsync/policies/index.ts'
import { countProblems } from '@svcsync/render/problems/problem-sentences.ts'
import { formatCount } from '@svcsync/render/text/counts.ts'
import { type Line, paint, piece } from '@svcsync/render/text/line.ts'
import { neutralise, safeJson } from '@svcsync/render/text/neutralise.ts'
import { findPolicyFiles, hasErrors, projectFile } from '@svcsync/runs/open/open-project.ts'
import { loadProjectAlone } from '@svcsync/runs/open/open-target.ts'
import { readPolicies, testedPolicies } from '@svcsync/runs/open/with-policies.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import { noteProject } from '../../terminal/notes.ts'
import { problemsText } from '../../terminal/problems-text.ts'
import type { policies } from '../project.ts'

export async function policiesCommand(options: Values<typeof policies>, console: Console) {
  // Tests do not depend on other parts of the project file.
  const file = projectFile(options.project, cwd())
  const project = loadProjectAlone(file, { kinds, target: options.target, displayBase: cwd() })
  noteProject(project.file, options, console)
  const found = findPolicyFiles(project)
  const loaded = await readPolicies({ policyFiles: found.files, displayBase: cwd(), project })
  const tested = await testedPolicies(loaded, kinds)
  const problems = [...found.problems, ...(loaded?.problems ?? []), ...(tested?.problems ?? [])]
  const coverage = tested?.coverage ?? []
  if (options.format === 'json') {
    await console.result(safeJson({ formatVersion: '1.0', counts: countProblems(problems), problems, coverage }))
  } else {
    const sources = loaded?.sources ?? new Map()
    const shown = problems.length === 0 ? '' : problemsText(problems, sources, console)
    await console.result(`${shown}${paint(table(coverage, tested !== undefined || problems.length === 0), console)}`)
  }
  return hasErrors(problems) ? exitCodes.error : exitCodes.done
}

/** Both ways: a policy that no test has seen hold, or break, may do so always. */
const isCovered = ({ holds, breaks, leavesOut }: PolicyTestResult['coverage'][number]): boolean =>
  holds > 0 && breaks > 0 && leavesOut !== 0

function table(coverage: PolicyTestResult['coverage'], wasRun: boolean): Line[] {
  if (coverage.length === 0) return wasRun ? [[piece('The project has no policies.')]] : []
  const width = Math.max(...coverage.map(({ policy }) => policy.length))
  const lines = coverage.map((each): Line => {
    const { policy, tests, holds, breaks, leavesOut } = each
    const style = isCovered(each) ? 'good' : 'faint'
    const missing = [
      ...(holds === 0 ? ['holds'] : []),
      ...(breaks === 0 ? ['breaks'] : []),
      ...(leavesOut === 0 ? ['is left out by `when`'] : []),
    ]
    const counts = `holds ${holds}, breaks ${breaks}${leavesOut === null ? '' : `, left out ${leavesOut}`}`
    const lacks = missing.length === 0 ? '' : `: no object ${missing.join(', nor one that ')}`
    const summary = tests === 0 ? 'no test' : `${counts}${lacks}`
    return [
      piece(style === 'good' ? '✓ ' : '· ', style),
      piece(neutralise(policy.padEnd(width + 2))),
      piece(summary, style === 'good' ? undefined : style),
    ]
  })
  const tests = coverage.reduce((sum, each) => sum + each.tests, 0)
  const covered = coverage.filter(isCovered).length
  const sum =
    `${formatCount(tests, 'test')}; ` +
    `${covered} of ${formatCount(coverage.length, 'policy', 'policies')} tried every way.`
  return [...lines, [], [piece(sum)]]
}
