// The HTTP edge: what other folders may use.
export { createPlatformClient, type PlatformClient } from './client.ts'
export type { ClientEvent, TokenAnswer } from './client-event.ts'
export type { PlatformClientOptions } from './client-options.ts'
export { fetchText } from './fetch-text.ts'
