// Makes the platform client for a target.
import type { PlatformPort } from '../../core/model/platform-port.ts'
import { plainText, sensitivesIn } from '../../core/model/sensitive.ts'
import { type ClientEvent, createPlatformClient, type PlatformClient, type TokenAnswer } from '../../platform/index.ts'
import type { Project } from '../../project/project.ts'

export interface ConnectOptions {
  readonly version: string
  /** PEM file with certificates to trust beside the usual ones. */
  readonly caFile?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Second interrupt: everything under way is given up. */
  readonly signal?: AbortSignal | undefined
  /** For one attempt at a request, body included. Default: 60,000. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds since 1970. Default: the machine's. */
  readonly clock?: (() => number) | undefined
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
  readonly onUnknownKey?: PlatformPort['onUnknownKey']
  readonly onToken?: ((answer: TokenAnswer) => void) | undefined
}

/** Sends nothing yet. Throws an OperatorError for addresses and credentials that cannot work. */
export function connect(project: Pick<Project, 'target' | 'settings'>, options: ConnectOptions): PlatformClient {
  const { target, settings } = project
  return createPlatformClient({
    baseUrl: target.baseUrl,
    authUrl: target.authUrl,
    apiVersion: target.apiVersion,
    svcIds: target.svcIds,
    timeZone: settings.timeZone,
    clientId: plainText(target.clientId),
    clientSecret: target.clientSecret?.reveal() ?? '',
    wireNames: Object.fromEntries(Object.entries(target.wireNames).map(([name, real]) => [name, plainText(real)])),
    concealed: sensitivesIn(target),
    allowInsecureHttp: target.allowInsecureHttp,
    retry: settings.retry,
    concurrency: settings.concurrency,
    maxAnswerBytes: settings.maxAnswerMb && settings.maxAnswerMb * 1_000_000,
    ...options,
  })
}
