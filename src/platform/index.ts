// The HTTP edge: what other folders may use.
export { createPlatformClient, type PlatformClient } from './client.ts'
export type { ClientEvent, ClientStats } from './client-event.ts'
export type { PlatformClientOptions } from './client-options.ts'
export { effectIsUnknown, isLocked } from './effect.ts'
export { failureCodes } from './failure-codes.ts'
export { segment } from './path.ts'
export { type PagedList, readPages } from './read-pages.ts'
