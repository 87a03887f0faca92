// Everything an installation remembers.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Clock } from '../clock.ts'
import type { TypeOf } from '../shape/shape.ts'
import type { ApiApplication, substitutionShape } from '../tenant/tenant-shape.ts'
import type { Database } from './database.ts'
import type { IdSource } from './id-source.ts'
import { Licenses } from './licenses.ts'
import { type Group, type GroupSide, groupSides, type Subject, type User } from './subjects.ts'

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
  /** The delay of synchronisation for users and groups after a write. */
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

type Kind = Subject['kind']
type OfKind<K extends Kind> = Extract<Subject, { kind: K }>

/** Everybody by svcId: users, groups, accounts and API applications share one name space. */
class Directory {
  #subjects = new Map<string, Subject>()
  /** Made anew only after a change: a page costs its own size. */
  readonly #lists = new Map<Kind, readonly Subject[]>()
  /** Deleted ones that stay until they are synchronised, in the order in which that happens. */
  readonly #leaving: Subject[] = []
  readonly #clock: Clock
  readonly #behaviour: () => Behaviour
  readonly #onGone: (subject: Subject) => void

  constructor(clock: Clock, behaviour: () => Behaviour, onGone: (subject: Subject) => void) {
    this.#clock = clock
    this.#behaviour = behaviour
    this.#onGone = onGone
  }

  list<K extends Kind>(kind: K): readonly OfKind<K>[] {
    this.#leave()
    const known = this.#lists.get(kind) ?? [...this.#subjects.values()].filter((subject) => subject.kind === kind)
    this.#lists.set(kind, known)
    return known as readonly Subject[] as readonly OfKind<K>[]
  }

  get<K extends Kind>(kind: K, svcId: string): OfKind<K> | undefined {
    const subject = this.find(svcId)
    return subject?.kind === kind ? (subject as OfKind<K>) : undefined
  }

  /** Anybody with this id, synchronised or not. */
  find(svcId: string): Subject | undefined {
    this.#leave()
    return this.#subjects.get(this.#key(svcId))
  }

  isWaiting(subject: Pick<Subject, 'sync'>): boolean {
    return subject.sync.readyAt > this.#clock.now()
  }

  /** Readable through the API: not a creation that is still hidden. */
  isVisible(subject: Subject): boolean {
    return !(subject.sync.created && this.#behaviour().afterCreate === 'visibleAfterSync' && this.isWaiting(subject))
  }

  /** Can be made a member, owner or holder of privileges. */
  usable(svcId: string): Subject | undefined {
    const subject = this.find(svcId)
    if (subject === undefined || subject.sync.deleting) return undefined
    const isFresh = subject.sync.created && this.isWaiting(subject)
    return isFresh && this.#behaviour().newSubjects === 'usableAfterSync' ? undefined : subject
  }

  /** False, and nothing added, when the id is taken. */
  add(subject: Subject): boolean {
    if (this.find(subject.svcId) !== undefined) return false
    this.#subjects.set(this.#key(subject.svcId), subject)
    this.#lists.delete(subject.kind)
    return true
  }

  /** Starts the wait for synchronisation that every write to a user or group brings. */
  startSync(subject: User | Group, delayMs: number, created = false): void {
    const stillNew = subject.sync.created && this.isWaiting(subject)
    subject.sync.created = created || stillNew
    subject.sync.readyAt = this.#clock.now() + delayMs
  }

  /** Deletes now, or once it is synchronised. */
  delete(subject: User | Group, delayMs: number): void {
    if (this.#behaviour().afterDelete === 'goneAtOnce' || delayMs === 0) {
      this.remove(subject)
      return
    }
    if (subject.sync.deleting) return
    this.startSync(subject, delayMs)
    subject.sync.deleting = true
    this.#leaving.push(subject)
  }

  /** Takes somebody out of groups, owners, privileges; and from those managed, where a manager must exist. */
  remove(subject: Subject): void {
    const key = this.#key(subject.svcId)
    this.#subjects.delete(key)
    this.#lists.delete(subject.kind)
    this.#onGone(subject)
    for (const group of [...subject.memberOf]) this.part(group, 'members', subject)
    for (const group of [...subject.ownerOf]) this.part(group, 'owners', subject)
    for (const list of [...subject.holds]) list.drop(subject)
    if (this.#behaviour().managerMustExist) {
      for (const user of this.list('user')) if (this.#key(user.managerSvcId ?? '') === key) user.managerSvcId = null
    }
    if (subject.kind !== 'group') return
    for (const side of groupSides) for (const each of [...subject[side]]) this.part(subject, side, each)
  }

  join(group: Group, side: GroupSide, subject: Subject): void {
    group[side].add(subject)
    subject[side === 'members' ? 'memberOf' : 'ownerOf'].add(group)
  }

  part(group: Group, side: GroupSide, subject: Subject): void {
    group[side].delete(subject)
    subject[side === 'members' ? 'memberOf' : 'ownerOf'].delete(group)
  }

  /** To be called when the rule for comparing ids changes. */
  rekey(): void {
    this.#subjects = new Map([...this.#subjects.values()].map((subject) => [this.#key(subject.svcId), subject]))
    this.#lists.clear()
  }

  #key(svcId: string): string {
    return this.#behaviour().svcIdCase === 'insensitive' ? svcId.toLowerCase() : svcId
  }

  /** Looks at the head of the queue only: every request comes through here. */
  #leave(): void {
    for (let first = this.#leaving[0]; first !== undefined && !this.isWaiting(first); first = this.#leaving[0]) {
      this.#leaving.shift()
      this.remove(first)
    }
  }
}
