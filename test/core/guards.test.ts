// Guards without a platform: limits, what is protected, whose access is lost, options and patterns.
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Aftermath } from '../../src/core/access/aftermath.ts'
import type { Change } from '../../src/core/compare/change.ts'
import { actingApplicationGuard } from '../../src/core/guards/acting-application.ts'
import { administratorGainedGuard } from '../../src/core/guards/administrator-gained.ts'
import { parseAllowance, unusedAllowances } from '../../src/core/guards/allowances.ts'
import { enoughLicencesGuard } from '../../src/core/guards/enough-licences.ts'
import type { CommitHistory, Guard } from '../../src/core/guards/guard.ts'
import { guards } from '../../src/core/guards/guards.ts'
import { exceeds, minimumForShares, percentText } from '../../src/core/guards/limits.ts'
import { olderCommitGuard } from '../../src/core/guards/older-commit.ts'
import { protectedGuard } from '../../src/core/guards/protected.ts'
import { allowVerdicts } from '../../src/core/guards/rejudge.ts'
import { listedIn } from '../../src/core/guards/removals.ts'
import { shellOption } from '../../src/core/guards/shell-option.ts'
import { unreadGuard } from '../../src/core/guards/unread.ts'
import type { KeyedElement } from '../../src/core/model/elements.ts'
import type { CompanyRef } from '../../src/core/model/kind.ts'
import { createPruneJudge } from '../../src/core/plan/prune.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'

const counts = fc.nat({ max: 5000 })
type Lists = Readonly<Record<string, readonly string[]>>

/** A group with these lists, of which `removed` are taken away; null: it is not there yet. No manifest mentions it. */
function groupChange(name: string, action: Change['action'], lists: Lists | null, removed: Lists = {}): Change {
  const address = `group/${name}`
  const elementsOf = (names: readonly string[] = []) => names.map((svcId) => ({ svcId }))
  const collections = Object.fromEntries(
    Object.entries(lists ?? {}).map(([collection, names]) => [collection, elementsOf(names)]),
  )
  const live = { kind: group, address, at: { name }, name, key: name, collections }
  const differences = Object.keys(removed).map((collection) => ({
    collection,
    added: [],
    removed: (collections[collection] ?? []).filter(({ svcId }) => removed[collection]?.includes(svcId)),
  }))
  const sides = lists === null ? { live: undefined, desired: { kind: group, key: name, collections: {} } } : { live }
  return { address, action, fields: [], collections: differences, unverifiable: [], ...sides } as unknown as Change
}

function factsOf(changes: readonly Change[], svcId: string) {
  return { changes, aftermath: new Aftermath(changes), acting: { svcId } as KeyedElement, protect: ['group/core*'] }
}

describe('limits', () => {
  it('refuse more than the largest number, and a larger share from five on', () => {
    fc.assert(
      fc.property(counts, counts, counts, fc.nat({ max: 100 }), (count, more, max, percent) => {
        const total = count + more
        const found = exceeds(count, total, { max, percent })
        expect(found === 'max').toBe(count > max)
        if (count > max) return
        expect(found === 'percent').toBe(count >= minimumForShares && count / total > percent / 100)
      }),
    )
  })

  it('leave small numbers alone, whatever the share', () => {
    for (let count = 0; count < minimumForShares; count++)
      expect(exceeds(count, count, { max: 10, percent: 0 })).toBeUndefined()
  })

  it('know how much is in all lists of a kind, and nothing of what is not there yet', () => {
    const changes = [
      groupChange('a', 'delete', { members: ['x', 'y'], owners: ['x'] }),
      groupChange('b', 'none', { members: ['x', 'y', 'z'] }),
      groupChange('c', 'create', null),
    ]
    expect(Object.fromEntries(listedIn(changes))).toEqual({ group: 6 })
    expect([...listedIn(changes.slice(2))]).toEqual([])
  })

  it('show no share smaller than it is', () => {
    expect([
      percentText(1, 3),
      percentText(201, 1000),
      percentText(0, 7),
      percentText(7, 7),
      percentText(3, 0),
    ]).toEqual([
      '34 %',
      '21 %',
      '0 %',
      '100 %',
      // A list may not show it yet.
      '100 %',
    ])
  })
})

describe('what is protected', () => {
  it('may change, and may not be deleted, nor lose the last of one list or of two', () => {
    const both = { members: ['x', 'y'], owners: ['x'] }
    const sentenceOf = (change: Change) =>
      protectedGuard.find(factsOf([change], 'robot')).map(({ sentence }) => sentence)
    const says = (what: string) => [`\`group/core\` ${what}, but \`protect\` lists \`group/core*\`.`]
    expect(sentenceOf(groupChange('core', 'none', both))).toEqual([])
    expect(sentenceOf(groupChange('core', 'update', both, { members: ['x'] }))).toEqual([])
    expect(sentenceOf(groupChange('core', 'update', both, { owners: ['x'] }))).toEqual(
      says('would lose the last of its owners'),
    )
    expect(sentenceOf(groupChange('core', 'update', both, both))).toEqual(
      says('would lose the last of its members and owners'),
    )
    expect(sentenceOf(groupChange('core', 'delete', both))).toEqual(says('would be deleted'))
    expect(sentenceOf(groupChange('other', 'delete', both))).toEqual([])
  })
})

describe('the account as which svcsync writes', () => {
  const found = (svcId: string, ...changes: Change[]) =>
    actingApplicationGuard.find(factsOf(changes, svcId)).map(({ allow }) => allow)

  it('loses by a deletion once, whatever else it was in', () => {
    const group = groupChange('robots', 'delete', { members: ['robot'] })
    // It leaves with the group that is deleted: that is one loss, and the other group's own lists stay as they are.
    expect(found('robot', group, groupChange('all', 'none', { members: ['robots'] }))).toEqual(['group/robots'])
    expect(found('robots', group, groupChange('all', 'none', { owners: ['robots', 'x'] }))).toEqual(['group/robots'])
  })

  it('loses nothing where the application has none, whatever a list holds', () => {
    const lists = { members: ['', 'x'] }
    expect(found('', groupChange('odd', 'update', lists, { members: [''] }))).toEqual([])
    expect(found('x', groupChange('odd', 'update', lists, { members: ['x'] }))).toEqual(['group/odd'])
  })

  describe('keeps a level for as many business entities', () => {
    const [one, two] = ['PL01', 'PL02'].map((name) => ({ guid: name, name })) as [CompanyRef, CompanyRef]
    const held = (level: string, company?: CompanyRef | null): KeyedElement =>
      ({ svcId: 'robot', level, ...(company !== undefined && { company }) }) as KeyedElement
    const saidOf = (before: readonly KeyedElement[], added: readonly KeyedElement[], removed = before) => {
      const live = { kind: process, name: 'P', key: 'P', collections: { privileges: before } }
      const difference = { collection: 'privileges', added: added.map((element) => ({ element })), removed }
      const change = { address: 'process/P', action: 'update', live, fields: [], collections: [difference] }
      return actingApplicationGuard
        .find(factsOf([change as unknown as Change], 'robot'))
        .map(({ sentence }) => sentence.replace('svcsync writes as `robot`, and would ', ''))
    }
    const fewer = 'have Administrator on `process/P` for fewer business entities.'
    const modify = held('Modify', one)
    const inOtherLetters = { ...one, guid: one.guid.toLowerCase() }

    it.each([
      ['all, then one', [held('Administrator', null)], [held('Administrator', one)], [fewer]],
      ['one, then another', [held('Administrator', one)], [held('Administrator', two)], [fewer]],
      ['one, then all', [held('Administrator', one)], [held('Administrator', null)], []],
      ['not told, then all', [held('Administrator')], [held('Administrator', null)], []],
      ['Administrator of all in its place', [modify], [held('Administrator', null)], []],
      ['Administrator of the same', [modify], [held('Administrator', one)], []],
      ['the same in other letters', [modify], [held('Administrator', inOtherLetters)], []],
      ['Administrator of another', [modify], [held('Administrator', two)], ['lose Modify on `process/P`.']],
    ])('%s', (_, before, added, said) => expect(saidOf(before, added)).toEqual(said))

    it('two, then one of them', () => {
      const both = [held('Administrator', one), held('Administrator', two)]
      expect(saidOf(both, [], both.slice(1))).toEqual([fewer])
      expect(saidOf([held('Administrator', null), ...both], [], both)).toEqual([])
    })
  })
})

describe('an account that a prune pattern deletes', () => {
  it('leaves every list by itself, those that change otherwise and those that do not', () => {
    const lists = { members: ['stray', 'x', 'y'] }
    const changes = [
      groupChange('stray', 'delete', { members: ['y'] }),
      groupChange('all', 'none', lists),
      groupChange('some', 'update', lists, { members: ['x'] }),
    ]
    const after = new Aftermath(changes)
    const left = changes.map((change) => after.elements(change, 'members', 'after').map(({ svcId }) => svcId))
    expect(left).toEqual([[], ['x', 'y'], ['y']])
    expect(after.standsForSomebody('stray', 'before')).toBe(true)
    expect(after.standsForSomebody('stray', 'after')).toBe(false)
  })
})

describe('an older commit', () => {
  const [applied, planned] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string]
  const found = (more: Partial<CommitHistory>) => {
    const history = { applied, planned, follows: 'no' as const, strays: [], ...more }
    return olderCommitGuard.find({ history }).map(({ sentence, allow }) => [sentence.split(/[,:]/)[0], allow])
  }

  it('is any that is not known to come after the one that was applied', () => {
    expect(found({ follows: 'yes' })).toEqual([])
    expect(found({ applied: undefined, follows: 'unknown' })).toEqual([])
    expect(found({})).toEqual([['`bbbbbbb` does not follow `aaaaaaa`', planned]])
    expect(found({ follows: 'unknown' })).toEqual([
      ['svcsync cannot tell whether `bbbbbbb` follows `aaaaaaa`', planned],
    ])
    expect(found({ planned: null, follows: 'unknown' })).toEqual([['The plan has no commit', 'none']])
    const named = (strays: CommitHistory['strays']) => found({ follows: 'yes', strays })[0]?.[0]
    expect(named([{ commit: planned, isKnown: true }])).toMatch(/`bbbbbbb` as begun and not completed$/)
    expect(named([{ commit: planned, isKnown: true, undo: true }])).toMatch(/`bbbbbbb` as what an undo led/)
  })
})

describe('too few licences', () => {
  it.each([
    [4, '4 of 3 are assigned', 0, {}],
    [2, '1 of 3 is free', 0, {}],
    [3, '0 of 3 are free', 2, { deleted: 2 }],
  ])('of three, where %i are assigned: %s, and the plan deletes %i holders', (assigned, said, deleted, counted) => {
    const total = 3
    const changes = ['anna', 'jan'].map((name) => {
      const difference = { collection: 'licenses', added: [{ element: { item: 'User' } }], removed: [] }
      const desired = { kind: license, key: name, collections: {} }
      return { address: `license/${name}`, action: 'update', desired, fields: [], collections: [difference] }
    })
    const holders = Array.from({ length: deleted }, (_, at) => `leaver${at}`)
    const supplies = new Map([['User', { total, assigned }]])
    const stock = { kind: license, collection: 'licenses', supplies, deletedHolders: new Map([['User', holders]]) }
    const facts = { changes: changes as unknown as readonly Change[], stocks: [stock] }
    const [finding] = enoughLicencesGuard.find(facts)
    expect(finding?.sentence).toContain(`2 would be given, ${said}, and the plan frees 0.`)
    const free = total - assigned
    expect(finding?.numbers).toEqual({ count: Math.min(2, 2 - free), total, given: 2, free, freed: 0, ...counted })
  })
})

describe('who becomes Administrator', () => {
  const entry = (subject: string | null, name: string) =>
    ({
      subject,
      level: 'Administrator',
      address: `process/${name}`,
      company: null,
      via: [],
      kind: 'privilege',
    }) as const
  const found = (names: readonly string[], subject: string | null, ...changes: Change[]) => {
    const administratorsGained = names.map((name) => entry(subject, name))
    return administratorGainedGuard.find({ changes, administratorsGained })
  }

  it('of more than three objects is told of three, and of how many more', () => {
    const said = (...names: string[]) => found(names, 'anna').map(({ sentence }) => sentence)
    const three = '`anna` would become Administrator of `process/A`, `process/B`, `process/C`'
    expect(said('A', 'B', 'C')).toEqual([`${three}.`])
    expect(said('A', 'B', 'C', 'D', 'E')).toEqual([`${three}, and 2 more.`])
  })

  it('of what was not read matters where a group that is created has members', () => {
    const created = (members: readonly string[] | undefined) => {
      const collections = members && { members: { elements: new Map(members.map((name) => [name, {}])) } }
      const change = {
        ...groupChange('new', 'create', null),
        desired: { kind: group, key: 'new', collections: { ...collections } },
      }
      return found(['A'], null, change as unknown as Change).map(({ allow }) => allow)
    }
    expect([undefined, [], ['anna'], ['anna', 'jan']].map(created)).toEqual([[], [], ['unknown'], ['unknown']])
  })
})

describe('a deletion that rests on less than everything', () => {
  it('is told by the first account, and by how many more', () => {
    const said = (...names: string[]) => {
      const changes = names.map((name) => groupChange(name, 'delete', {}))
      const [finding] = unreadGuard.find({ changes, unreadable: [], leftOut: { declarations: 1 } })
      return finding?.sentence.split(',')[0]
    }
    expect(said('a')).toBe('`group/a` would be deleted')
    expect(said('a', 'b', 'c')).toBe('`group/a` and 2 more would be deleted')
  })
})

describe('options', () => {
  it('reach the command as they were meant, whatever stands in an address', () => {
    const names = fc.string({
      unit: fc.constantFrom(...'aZ9 \'"$`\\*?!;&|<>(){}[]#~=@%,./:-_ż'),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.array(names, { minLength: 20, maxLength: 20 }), (list) => {
        const script = `printf '%s\\n' ${list.map((name) => shellOption(`protected=${name}`)).join(' ')}`
        const lines = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\n')
        expect(lines.slice(0, -1)).toEqual(list.flatMap((name) => ['--allow', `protected=${name}`]))
      }),
      { numRuns: 20 },
    )
  })

  it('are read for every guard, and for no other', () => {
    for (const { name, counts: isNumber } of guards) {
      const value = isNumber ? '12' : 'group/a=b c'
      expect(parseAllowance(`${name}=${value}`)).toEqual({ guard: name, value })
    }
    for (const text of [
      '',
      '=',
      'protected',
      'protected=',
      'deletions=',
      'deletions=-1',
      'deletions=1e3',
      'removals=1.5',
      'all',
      'unknown=x',
    ]) {
      expect(() => parseAllowance(text)).toThrow(expect.objectContaining({ code: 'SVC2071' }))
    }
    const hintOf = (hint: string) => expect.objectContaining({ hint: expect.stringContaining(hint) })
    expect(() => parseAllowance('deletions=all')).toThrow(hintOf('`--allow deletions=25` allows up to 25'))
    expect(() => parseAllowance('protected=')).toThrow(hintOf('`--allow protected=…`'))
  })

  it('allow as many and fewer where a guard counts, and else the one thing that is named', () => {
    const passes = (asked: string, given: string): boolean => {
      const guard = asked.replace(/=.*/, '') as Guard['name']
      const verdict = { guard, verdict: 'refused', sentence: '', numbers: {}, addresses: [], allow: asked } as const
      return allowVerdicts([verdict], [parseAllowance(given)])[0]?.verdict === 'allowed'
    }
    expect(['13', '14', '140', '9'].filter((count) => passes('deletions=14', `deletions=${count}`))).toEqual([
      '14',
      '140',
    ])
    expect(passes('removals=14', 'deletions=14')).toBe(false)
    // A folder may have a year for its name.
    expect(['2024', '2025', '2024/a'].filter((name) => passes('disappeared=2024', `disappeared=${name}`))).toEqual([
      '2024',
    ])
  })
})

describe('allowances that let nothing pass', () => {
  const asked = [
    'group/a@example.com',
    'group/b@example.com',
    'group/c@example.com',
    'application/main/Purchasing',
  ].map(
    (name) =>
      ({
        guard: 'protected',
        verdict: 'refused',
        sentence: '',
        numbers: {},
        addresses: [],
        allow: `protected=${name}`,
      }) as const,
  )
  const hints = (...given: string[]) =>
    unusedAllowances(
      given.map((text) => parseAllowance(text)),
      asked,
    ).map(({ hint }) => hint)

  it('come with what is near, or with some of what the guard asks for', () => {
    const near = expect.stringMatching(/^This guard asks for `protected=group\/b@example\.com`, /)
    expect(hints('protected=group/b@example.con')).toEqual([near])
    expect(hints('protected=application/main/Purchases')).toEqual([
      'This guard asks for `protected=application/main/Purchasing`.',
    ])
    expect(hints('protected=something else')).toEqual([
      `This guard asks for ${['a', 'b', 'c'].map((name) => `\`protected=group/${name}@example.com\``).join(', ')}.`,
    ])
    expect(hints('deletions=3')).toEqual([expect.stringContaining('This guard passes in this plan')])
    expect(hints('protected=application/main/Purchasing')).toEqual([])
  })
})

describe('prune patterns', () => {
  const judge = (pattern: string, normalise: (svcId: string) => string) => {
    const settings = {
      normalise,
      declarations: [],
      mentions: new Map(),
      isExternal: () => false,
      protect: [],
      selections: [],
      kinds: [group],
    }
    const decide = createPruneJudge(new Map([[group, [pattern]]]), settings)
    return (name: string): boolean => decide(group, name) !== undefined
  }
  const lower = (svcId: string) => svcId.toLowerCase()

  it.each([
    ['proj-*', ['proj-', 'PROJ-a/b', 'proj-\\x'], ['xproj-a', 'proj']],
    ['a?c', ['abc', 'a/c'], ['ac', 'abbc']],
    ['*@example.com', ['x@example.com'], ['x@examplescom', 'x@example.com.pl']],
    ['a.(b)[c]+', ['A.(B)[C]+'], ['axbc']],
  ])('%s matches whole svcIds and nothing else', (pattern, hits, misses) => {
    expect(hits.filter((name) => !judge(pattern, lower)(name))).toEqual([])
    expect(misses.filter(judge(pattern, lower))).toEqual([])
  })

  it('tell case apart where the target does', () => {
    expect(judge('Proj-*', (svcId) => svcId)('proj-a')).toBe(false)
  })
})
