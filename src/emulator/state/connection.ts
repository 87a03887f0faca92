// A data connection: settings in common, and for each environment that does not inherit them.
import type { JsonObject } from '../../core/model/json.ts'
import type { ConnectionType } from './connection-types.ts'
import type { Environment } from './constant.ts'

/** Settings of one environment. Credentials in it are kept as digests only. */
type ConnectionSettings = JsonObject

export interface Connection {
  readonly id: number
  readonly guid: string
  name: string
  readonly type: ConnectionType
  readonly settings: { common: ConnectionSettings } & { [E in Environment]?: ConnectionSettings | undefined }
}
