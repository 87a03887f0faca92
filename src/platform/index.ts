// The HTTP edge: what other folders may use.
export { createPlatformClient, type PlatformClient } from './client.ts'
export type { ClientEvent, PlatformClientOptions } from './client-options.ts'
export { fetchText } from './fetch-text.ts'
