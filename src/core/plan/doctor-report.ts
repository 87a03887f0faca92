// The findings of `doctor`. Described by schemas/doctor.schema.json.
import type { TargetIdentity } from './plan-document.ts'

/** In the order in which they are shown. */
export const checkNames = [
  'project',
  'manifests',
  // Only of a project that has one.
  'ledger',
  'connection',
  'token',
  'clock',
  'scopes-to-read',
  'scopes-to-write',
  'api-version',
  'application',
  'databases',
  'installation',
  // Only where a document is named.
  'interface',
  'names',
  'objects',
  'answers',
  'pages',
  'svcid-case',
  // Only where a project could see more of access for little.
  'access',
] as const

/** `not-checked`: no result, for the given reason. */
type CheckResult = 'ok' | 'warning' | 'problem' | 'not-checked'

export interface Check {
  readonly check: (typeof checkNames)[number]
  readonly result: CheckResult
  readonly found: string
  /** The code in docs/problems.md, if it has one. */
  readonly code?: string
  readonly todo?: string
  readonly details?: readonly string[]
  /** Lines for the project file, to be copied. */
  readonly copy?: readonly string[]
}

export interface Variant {
  /** As the emulator's documentation numbers and names them. */
  readonly number: number
  readonly switch: string
  readonly about: string
  /** Undefined: nothing that was read shows it. */
  readonly state?: string
  readonly found: string
}

export const doctorFormatVersion = '1.0'

export interface DoctorReport {
  readonly formatVersion: string
  readonly result: 'ok' | 'warning' | 'problem'
  /** Undefined: the project file could not be used. */
  readonly target?: TargetIdentity & { readonly authUrl: string }
  readonly counts: Readonly<Record<CheckResult, number>>
  readonly checks: readonly Check[]
  readonly variants: readonly Variant[]
  /** Sent to the platform, tokens included. All of them read. */
  readonly requests: number
}
