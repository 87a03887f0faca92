// Everything an installation remembers.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Clock } from '../clock.ts'
import type { TypeOf } from '../shape/shape.ts'
import type { ApiApplication, substitutionShape } from '../tenant/tenant-shape.ts'
import type { Database } from './database.ts'
import { Directory } from './directory.ts'
import type { IdSource } from './id-source.ts'
import { Licenses } from './licenses.ts'

export type Substitution = TypeOf<typeof substitutionShape> & { readonly id: number }

/** An import of a package: what arrived of it, and what became of it. */
export interface ImportSession {
  readonly id: string
  readonly dbId: number
  readonly chunkSize: number
  readonly totalSize: number
  next: number
  head: Buffer
  configuration: JsonObject | undefined
  dueMs: number
  status: number
  logs: string
}

export class PlatformState {
  readonly directory: Directory
  readonly databases = new Map<number, Database>()
  readonly substitutions = new Map<number, Substitution>()
  readonly apiApplications = new Map<string, ApiApplication>()
  /** By session id. Not kept in a state file. */
  readonly imports = new Map<string, ImportSession>()
  readonly ids: IdSource
  licenses = new Licenses()
  /** Clock time, in milliseconds. */
  readonly now: () => number
  #behaviour: Behaviour
  /** How long users and groups wait for synchronisation after a write. */
  syncDelayMs: number

  constructor(clock: Clock, behaviour: Behaviour, syncDelayMs: number, ids: IdSource) {
    this.#behaviour = behaviour
    this.syncDelayMs = syncDelayMs
    this.ids = ids
    this.now = () => clock.now()
    const forget = ({ kind, svcId, name }: { kind: string; svcId: string; name: string | null }) => {
      const holds = kind === 'user' || kind === 'account'
      if (holds && this.#behaviour.licensesOfDeleted !== 'kept') this.licenses.end(svcId, name)
    }
    this.directory = new Directory(clock, () => this.#behaviour, forget)
  }

  get behaviour(): Behaviour {
    return this.#behaviour
  }

  set behaviour(next: Behaviour) {
    const rekeys = next.svcIdCase !== this.#behaviour.svcIdCase
    this.#behaviour = next
    if (rekeys) this.directory.rekey()
  }
}
