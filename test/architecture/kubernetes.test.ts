// The examples for Kubernetes: by the types of its API, with no field that those do not know; careful; and with our
// exit codes.
import { readFileSync } from 'node:fs'
import { CronJob, Job } from 'kubernetes-models/batch/v1'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../../src/cli/program/exit-codes.ts'

const read = (name: string) => parse(readFileSync(`examples/kubernetes/${name}.yaml`, 'utf8')) as Manifest

interface Container {
  readonly name: string
  readonly args: readonly [string]
  readonly securityContext: object
  readonly env: readonly { readonly name: string; readonly value?: string }[]
}
interface JobSpec {
  readonly completions?: number
  readonly podFailurePolicy: {
    readonly rules: readonly {
      readonly action: string
      readonly onExitCodes?: { readonly values: readonly number[] }
    }[]
  }
  readonly template: {
    readonly spec: {
      readonly restartPolicy: string
      readonly securityContext: object
      readonly initContainers: readonly Container[]
      readonly containers: readonly [Container]
    }
  }
}
interface Manifest {
  readonly kind: string
  readonly spec: JobSpec & { readonly jobTemplate: { readonly spec: JobSpec } }
}
const jobOf = ({ kind, spec }: Manifest): JobSpec => (kind === 'CronJob' ? spec.jobTemplate.spec : spec)

/** Paths of what nobody asks for: the types take an unknown field without a word. */
function unread(value: unknown, validate: (value: unknown) => void): readonly string[] {
  const known = new Set<string>()
  const all: string[] = []
  const watched = (each: unknown, path: string): unknown => {
    if (typeof each !== 'object' || each === null) return each
    const entries = Object.entries(each).map(([key, inner]) => [key, watched(inner, `${path}/${key}`)] as const)
    all.push(...entries.map(([key]) => `${path}/${key}`))
    const copy: unknown = Array.isArray(each) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
    return new Proxy(copy as object, {
      get: (target, key) => {
        known.add(`${path}/${String(key)}`)
        return Reflect.get(target, key) as unknown
      },
    })
  }
  validate(watched(value, ''))
  return all.filter((path) => !known.has(path))
}
const validate = (manifest: unknown): void => {
  const { kind } = manifest as Manifest
  const Type = kind === 'CronJob' ? CronJob : Job
  Type.prototype.validate.call(manifest)
}

it.each(['apply', 'drift', 'due'])('%s.yaml is of the API, confined, and knows our exit codes', (name) => {
  const manifest = read(name)
  expect(unread(manifest, validate)).toEqual([])
  const { podFailurePolicy, template } = jobOf(manifest)
  const { containers, initContainers, restartPolicy, securityContext } = template.spec
  expect(securityContext).toMatchObject({ runAsNonRoot: true })
  for (const each of [...containers, ...initContainers]) {
    expect(each.securityContext).toMatchObject({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    })
    for (const { name: variable } of each.env) expect(variable).not.toMatch(/SECRET|TOKEN|PASSWORD/)
  }
  expect(restartPolicy).toBe('Never')
  const ends = (action: string) =>
    podFailurePolicy.rules
      .filter((rule) => rule.action === action)
      .flatMap(({ onExitCodes }) => onExitCodes?.values ?? [])
  const final = [...ends('FailIndex'), ...ends('FailJob')]
  expect(final).toEqual(name === 'drift' ? [exitCodes.differences] : [exitCodes.refused, exitCodes.notConverged])
  expect(ends('Ignore')).toEqual([])
  if (name === 'apply') expect(ends('Count')).toEqual([exitCodes.error, exitCodes.partial])
})

it('a field that nobody knows is found, and a type that is another one', () => {
  const text = readFileSync('examples/kubernetes/apply.yaml', 'utf8')
  expect(unread(parse(text.replace('backoffLimitPerIndex', 'backoffLimitPerindex')), validate)).toEqual([
    '/spec/backoffLimitPerindex',
  ])
  expect(() => validate(parse(text.replace('FailIndex', 'FailShard')))).toThrow()
})
