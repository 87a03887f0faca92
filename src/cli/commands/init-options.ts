// The options of `svcsync init`, most of which say which installation to read.
import { OperatorError } from '../../errors/index.ts'

export interface InitOptions {
  readonly fromLive?: boolean
  readonly target?: string
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly apiVersion?: '5.0' | '6.0'
  /** Name → dbId. */
  readonly database?: Readonly<Record<string, number>>
  /** Documented name → name on the installation. */
  readonly wireName?: Readonly<Record<string, string>>
  readonly complete?: boolean
  readonly sparse?: boolean
  readonly concurrency?: number
  readonly caFile?: string
  readonly color: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** Options that mean nothing where no installation is read. */
const ofLive = {
  target: '--target',
  baseUrl: '--base-url',
  authUrl: '--auth-url',
  apiVersion: '--api-version',
  database: '--database',
  wireName: '--wire-name',
  complete: '--complete',
  sparse: '--sparse',
  concurrency: '--concurrency',
  caFile: '--ca-file',
} as const satisfies Partial<Record<keyof InitOptions, string>>

/** Throws an OperatorError that names them. */
export function refuseIdleOptions(options: InitOptions): void {
  const idle = Object.entries(ofLive).filter(([key]) => options[key as keyof InitOptions] !== undefined)
  if (idle.length === 0) return
  const named = idle.map(([, option]) => `\`${option}\``).join(', ')
  throw new OperatorError('SVC2043', `${named} ${idle.length === 1 ? 'goes' : 'go'} with \`--from-live\``, {
    hint: 'Without it, `init` writes an example and reads nothing.',
  })
}
