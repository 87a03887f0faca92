// The summary of a run over several targets.
import { expect, it } from 'vitest'
import { renderTargetsText } from '../../src/render/report/targets-summary.ts'

const form = { colour: false, width: 100 }
const target = (name: string, exitCode: number, severity: 'none' | 'notice') => {
  return { name, exitCode, severity, sentence: 'what it found', elapsedMs: 1 }
}

it('calls no drift what a drift found without differences', () => {
  const all = [target('de', 0, 'notice'), target('pl', 2, 'notice'), target('us', 0, 'none')]
  expect(renderTargetsText('drift', all, form)).toContain('3 targets: 1 with drift, 1 to look at, 1 as declared.')
  expect(renderTargetsText('plan', all.slice(0, 1), form)).toContain('1 target: 1 with changes.')
})
