// (m) Editing 100,000 lines: taking somebody out of them, and holding the result to what was asked.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

const people = 12_000

function manifest(): string {
  const lines = ['users:']
  for (let each = 0; each < people; each++) {
    const svcId = `user${each}@example.com`
    lines.push(`  - svcId: ${svcId}`, `    name: User ${each}`, `    email: ${svcId} # mail`, '    jobTitle: Clerk', '')
  }
  lines.push('groups:')
  for (let group = 0; lines.length < 100_000; group++) {
    const members = Array.from(
      { length: 40 },
      (_, each) => `      - user${(group * 37 + each * 11) % people}@example.com`,
    )
    lines.push(`  - svcId: group${group}@example.com`, `    name: Group ${group}`, '    members:', ...members, '')
  }
  return `${lines.join('\n')}\n`
}

export async function measureEdit(context: BenchContext): Promise<readonly Measure[]> {
  const folder = join(context.folder, 'edit')
  mkdirSync(join(folder, 'manifests'), { recursive: true })
  const project =
    'version: 1\nmanifests: [manifests]\ntargets:\n' +
    '  test: { baseUrl: https://svc.example.com, databases: { main: 1 } }\n'
  writeFileSync(join(folder, 'svcsync.yaml'), project)
  writeFileSync(join(folder, 'manifests/all.yaml'), manifest())
  const named = ['--project', join(folder, 'svcsync.yaml')]
  const runs = await interleave<ProcessRun, 'leave' | 'validate'>(context.rounds, {
    leave: () => runNode([context.command, 'leave', 'user500@example.com', '--offline', '--dry-run', ...named]),
    validate: () => runNode([context.command, 'validate', ...named]),
  })
  if (!runs.leave[0]?.stdout.includes('+    absent: true')) throw new Error('nobody left')
  const [leaveMs, validateMs] = [medianMs(runs.leave), medianMs(runs.validate)]
  return [
    {
      part: 'm',
      what: 'take a person out of 100,000 lines: time',
      value: leaveMs / 1000,
      limit: 2,
      unit: 's',
      from: `${ms(leaveMs)}; to validate them takes ${ms(validateMs)}`,
    },
  ]
}
