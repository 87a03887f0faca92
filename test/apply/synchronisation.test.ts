// A page of a list shows what was there when it was asked for: of what is written after that it says nothing.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Synchronisation } from '../../src/apply/synchronisation.ts'
import type { Json } from '../../src/core/model/json.ts'
import { user } from '../../src/kinds/user/index.ts'

it('an old page ends no wait that began after it was asked for', async () => {
  const pages: ((answer: Json) => void)[] = []
  const synchronisation = new Synchronisation({
    port: {
      apiVersion: '6.0',
      normalise: (svcId) => svcId,
      authorise: async () => undefined,
      send: () => new Promise((resolve) => pages.push(resolve)),
    },
    pageSize: 100,
    timeoutMs: 60_000,
    timer: () => 0,
    sleep: () => turn(),
    onWaiting: () => undefined,
    onPlatformDown: () => undefined,
  })
  const ended: string[] = []
  const wait = (svcId: string): void => {
    const at = { name: svcId, self: svcId }
    const target = { kind: user, address: `user/${svcId}`, at, until: 'ready', urgent: true } as const
    void synchronisation.wait(target).then(() => ended.push(svcId))
  }
  const turns = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await turn()
  }
  for (const svcId of ['a', 'b', 'c']) wait(svcId)
  synchronisation.hurry(true)
  await turns(5)
  expect(pages.length).toBeGreaterThan(0)
  const asked = pages.splice(0)
  // Written when the pages were on their way: they show it as it was before.
  wait('d')
  const fields = { name: null, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null }
  const item = (svcId: string) => ({ svcId, ...fields, status: 'Synchronized' })
  for (const [index, answer] of asked.entries()) answer({ users: index === 0 ? ['a', 'b', 'c', 'd'].map(item) : [] })
  await turns(10)
  expect(ended).toEqual(['a', 'b', 'c'])
  synchronisation.giveUp()
})
