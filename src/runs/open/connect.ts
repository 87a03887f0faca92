// Makes the client of a target from the project.
import { plainText, sensitivesIn } from '@svcsync/core/model/sensitive.ts'
import { createPlatformClient, type PlatformClient } from '@svcsync/platform/client.ts'
import type { PlatformClientOptions } from '@svcsync/platform/client-options.ts'
import type { Project } from '@svcsync/project/project.ts'

export type ConnectOptions = Pick<
  PlatformClientOptions,
  'version' | 'caFile' | 'env' | 'signal' | 'timeoutMs' | 'clock' | 'onEvent' | 'onUnknownKey' | 'onToken'
>

/** Sends nothing yet. Throws an OperatorError for addresses and credentials that cannot work. */
export function connect(
  project: Pick<Project, 'target' | 'settings' | 'kinds'>,
  options: ConnectOptions,
): PlatformClient {
  const { target, settings, kinds } = project
  const { baseUrl, authUrl, apiVersion, svcIds, wireNames, allowInsecureHttp } = target
  const { timeZone, retry, concurrency, maxAnswerMb } = settings
  return createPlatformClient({
    ...{ baseUrl, authUrl, apiVersion, svcIds, wireNames, allowInsecureHttp, kinds, timeZone, retry, concurrency },
    clientId: plainText(target.clientId),
    clientSecret: target.clientSecret?.reveal() ?? '',
    concealed: sensitivesIn(target),
    maxAnswerBytes: maxAnswerMb && maxAnswerMb * 1_000_000,
    ...options,
  })
}
