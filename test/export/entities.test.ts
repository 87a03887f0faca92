// Business entities in an export: comments that say who is permitted, and nothing that anybody could have hidden in
// them.

import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { openWorkspace } from '../harness/workspace.ts'

const process = { name: 'P', privileges: [{ svcId: 'anna', level: 'Start', company: 'PL01' }] }
const hostile = 'evil\nusers: [{ svcId: x }]\u2028groups: []\r##[error] \u202e${env:SECRET}'
const businessEntities = [
  {
    code: 'PL01',
    name: 'Poland',
    permissions: [
      { svcId: 'staff', type: 'Additional' },
      { svcId: 'p1', type: 'Default' },
      { svcId: 'anna', type: 'Default' },
    ],
  },
  { code: 'DE01\n- x', name: hostile, permissions: [{ svcId: hostile, type: 'Default' }] },
  { code: 'FR01', name: 'France' },
]
const tenant = {
  users: [
    { svcId: 'anna', name: 'Anna' },
    { svcId: 'p1', name: `Piotr\n${hostile}` },
  ],
  groups: [{ svcId: 'staff', name: 'Staff' }],
  databases: [{ id: 1, businessEntities, applications: [{ name: 'A', processes: [process] }] }],
} as unknown as Tenant

it('tells who is permitted in each, in comments alone, by one list that privileges are named by as well', async () => {
  const workspace = await openWorkspace({ tenant })
  try {
    const plain = await workspace.export()
    const { files, leftOut } = await workspace.export({ entities: true })
    expect(leftOut).toEqual([])
    expect(files.filter(({ file }) => file !== 'business-entities.yaml')).toEqual(plain.files)
    const reads = workspace.emulator.requests().filter(({ path }) => String(path).endsWith('/businessentities'))
    // One for each export.
    expect(reads).toHaveLength(2)
    const { file, text = '' } = files.at(-1) ?? {}
    expect(file).toBe('business-entities.yaml')
    expect(text).toMatch(
      /#\n# PL01: Poland, id 1, guid \S+\n# {3}Default\n# {3}- anna\n# {3}- p1 \(Piotr .*\)\n# {3}Additional\n# {3}- staff\n/,
    )
    expect(text).toMatch(/# FR01: France, id 3, guid \S+\n# {3}nobody is permitted\n/)
    expect(text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).filter((line) => line !== '' && !line.startsWith('#'))).toEqual(
      [],
    )
    expect(parseAllDocuments(text)).toHaveLength(0)
    expect(text).not.toMatch(/##|\u202e/)
    workspace.manifest(files.map((each) => each.text).join('---\n'))
    expect(workspace.open().problems).toEqual([])
    expect(await workspace.changes()).toEqual([])
  } finally {
    await workspace.close()
  }
})

it('says where nobody tells it, and asks for the scope that it takes', async () => {
  const workspace = await openWorkspace({ tenant })
  try {
    const answer = {
      businessEntities: [
        { id: 1, guid: 'g', name: 'Poland' },
        { id: 2, guid: 'h', name: 'X', permissions: [{ svcId: 'a' }] },
      ],
    }
    workspace.emulator.addFault({
      match: { path: '*/businessentities' },
      effect: { kind: 'status', status: 200, body: answer },
    })
    const { files } = await workspace.export({ entities: true, only: ['user/anna'] })
    const { text = '' } = files.at(-1) ?? {}
    expect(text).toContain('# Poland, id 1, guid g\n#   the platform tells no permitted accounts\n')
    expect(text).toContain('# X, id 2, guid h\n#   the platform tells no permitted accounts\n')
    workspace.emulator.addFault({ match: { path: '*/businessentities' }, effect: { kind: 'status', status: 403 } })
    await expect(workspace.export({ entities: true })).rejects.toMatchObject({ code: 'SVC3041' })
  } finally {
    await workspace.close()
  }
})
