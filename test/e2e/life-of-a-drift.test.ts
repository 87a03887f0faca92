// The life of a drift on each forge, over HTTP and real git: found at night, decided in the morning, and over. Each night runs what the
// templates of examples/ci run.
import { describe, expect, it } from 'vitest'
import { type ForgeName, forges } from '../../src/forge/forges.ts'
import { branch, kim, useProject } from '../forge/project-on-forge.ts'

const names = Object.keys(forges) as ForgeName[]

describe.each(names)('a drift on %s', (name) => {
  const lab = useProject(name)
  /** Both jobs of a night: their exit codes. */
  const night = async (): Promise<readonly [drift: number | null, accept: number | null]> => {
    const drift = await lab.run('drift', '--to', name)
    const accept = await lab.request()
    return [drift.code, accept.code]
  }
  const issue = () => {
    expect(lab.forge.issues).toHaveLength(1)
    return lab.forge.issues[0] as (typeof lab.forge.issues)[number]
  }
  /** So many days pass: what is remembered is older. */
  const age = (days: number): string => {
    const day = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    issue().body = issue().body.replace(/"\d{4}-\d\d-\d\d":/, `"${day}":`)
    return day
  }
  const isPlannedEmpty = async () => expect(await lab.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 })

  it('is found, told in an issue, ages, is accepted by a request, merged, planned empty, and closed', async () => {
    expect(await night()).toEqual([0, 0])
    expect([lab.forge.issues, lab.forge.pulls]).toEqual([[], []])
    lab.addKim()
    expect(await night()).toEqual([2, 0])
    expect(issue().body).toContain(`members + \`${kim}\``)
    expect(issue().body).toContain('1 difference, new today.')
    const day = age(4)
    expect(await night()).toEqual([2, 0])
    expect(issue().body).toContain(`since ${day}, 4 days`)
    expect(lab.pull()).toMatchObject({ isOpen: true, head: branch })
    lab.merge()
    await isPlannedEmpty()
    expect(await night()).toEqual([0, 0])
    expect(issue()).toMatchObject({ isOpen: false, comments: [expect.stringContaining(`since ${day}.`)] })
    expect(lab.pull()).toMatchObject({ isOpen: false, isMerged: true, comments: [] })
  })

  it('is found, told, healed by the line of the issue, planned empty, and closed with its request', async () => {
    lab.changeUrl('https://other.example.com')
    expect(await night()).toEqual([2, 0])
    const heal = /^svcsync (apply .*)$/m.exec(issue().body)?.[1] ?? ''
    expect(heal).toBe('apply --only constant/main/Url')
    expect((await lab.run(...heal.split(' '), '--yes')).code).toBe(0)
    await isPlannedEmpty()
    expect(await night()).toEqual([0, 0])
    expect([issue().isOpen, lab.pull().isOpen, lab.tip()]).toEqual([false, false, ''])
    // It comes back: another issue, another request.
    lab.changeUrl('https://other.example.com')
    expect(await night()).toEqual([2, 0])
    expect(lab.forge.issues.map(({ isOpen }) => isOpen)).toEqual([false, true])
    expect(lab.forge.pulls.map(({ isOpen }) => isOpen)).toEqual([false, true])
  })

  it('is found, told, left alone until a day by a merged exception, closed, and found again when that day is over', async () => {
    lab.changeUrl('https://other.example.com')
    expect(await night()).toEqual([2, 0])
    const [, , except = ''] = /^```sh\n(.*)\n(.*)\nsvcsync (.*)\n```$/m.exec(issue().body)?.slice(1) ?? []
    expect(except).toBe('accept --only constant/main/Url --until DATE --reason REASON')
    const args = except.replace('DATE', '2100-01-31').replace('REASON', 'Migration').split(' ')
    const { code, stdout, stderr } = await lab.run(...args)
    expect(code, stdout + stderr).toBe(0)
    lab.publish('until the migration')
    await isPlannedEmpty()
    expect(await night()).toEqual([0, 0])
    expect([issue().isOpen, lab.pull().isOpen, lab.tip()]).toEqual([false, false, ''])
    lab.workspace.write('exceptions.yaml', lab.read('exceptions.yaml').replace('2100-01-31', '2026-01-31'))
    lab.publish('it is over')
    expect(await night()).toEqual([2, 0])
    expect(lab.forge.issues.map(({ isOpen }) => isOpen)).toEqual([false, true])
    expect(lab.forge.issues[1]?.body).toContain('Excepted until 2026-01-31, which is over: `constant/main/Url`')
  })
})
