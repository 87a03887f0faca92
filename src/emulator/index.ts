// The embedded platform.
export type { BehaviourChanges } from './behaviour.ts'
export { defaultBehaviour } from './behaviour.ts'
export type { Emulator, EmulatorOptions } from './emulator.ts'
export type { Fault, FaultEffect } from './http/faults.ts'
export { interfaceDocument } from './interface-document.ts'
export { startEmulator } from './start-emulator.ts'
export type { Tenant } from './tenant/tenant-shape.ts'
