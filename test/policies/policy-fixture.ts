// Policies and manifests in memory, for the tests of this room.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asWrittenDirectory } from '../../src/core/assemble/as-written-directory.ts'
import { assembleDesired } from '../../src/core/assemble/assemble-desired.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import { formatPlace, type Problem } from '../../src/errors/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { loadManifests } from '../../src/manifests/load-manifests.ts'
import {
  accountKinds,
  checkDesired,
  type LoadedPolicies,
  loadPolicies,
  type PolicyContext,
} from '../../src/policies/index.ts'

/** Loads what would stand in a file `p.yaml`. */
export function policiesOf(text: string): LoadedPolicies {
  return inFolder((dir) => {
    writeFileSync(join(dir, 'p.yaml'), text)
    return loadPolicies({ files: [join(dir, 'p.yaml')], kinds, projectDir: dir, displayBase: dir })
  })
}

/** A policy for some kinds, with nothing but an expression. */
export function policyOf(expression: string, forKinds = ['group'], more: Record<string, unknown> = {}): LoadedPolicies {
  const policy = { name: 'it', for: forKinds, expression, message: 'it does not hold', ...more }
  return policiesOf(JSON.stringify({ policies: [policy] }))
}

/** Puts a manifest together. */
export function desiredOf(manifest: string, env: Readonly<Record<string, string>> = {}): readonly Desired[] {
  const loaded = inFolder((dir) => {
    writeFileSync(join(dir, 'm.yaml'), manifest)
    const files = [join(dir, 'm.yaml')]
    return loadManifests({ files, kinds, variables: {}, env, projectDir: dir, displayBase: dir })
  })
  const directory = asWrittenDirectory({ main: 1 }, kinds)
  const { desired, problems } = assembleDesired(loaded.declarations, directory, {
    normalise: normaliserOf('ignore-case'),
    collections: 'exclusive',
    ends: new Map(),
    sets: loaded.sets,
    time: { nowMs: 0, timeZone: 'UTC' },
  })
  const errors = [...loaded.problems, ...problems].filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new TypeError(JSON.stringify(errors))
  return desired
}

export function contextOf(desired: readonly Desired[], more: Partial<PolicyContext> = {}): PolicyContext {
  const target = { name: 'prod', baseUrl: 'https://prod.example.com' }
  return { accounts: accountKinds(desired), target, today: '2026-11-20', ...more }
}

/** The verdicts of the policies on a manifest. */
export function judged(
  loaded: LoadedPolicies,
  manifest: string,
  more: Partial<PolicyContext> = {},
): readonly Problem[] {
  if (loaded.problems.length > 0) throw new TypeError(JSON.stringify(loaded.problems))
  const desired = desiredOf(manifest)
  return checkDesired(loaded.policies, desired, contextOf(desired, more))
}

/** `p.yaml:3:5 SVC1803 message`. */
export function shortly(problems: readonly Problem[]): string[] {
  return problems.map(({ code, message, place }) => `${place && formatPlace(place)} ${code} ${message}`)
}

function inFolder<T>(use: (dir: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-policies-'))
  try {
    return use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
