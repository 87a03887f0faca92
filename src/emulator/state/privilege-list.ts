// The privileges on one application, process, or form type of a workflow.
import type { Behaviour } from '../behaviour.ts'
import type { Subject } from './subjects.ts'

interface Privilege {
  readonly subject: Subject
  readonly level: string
  /** The business entity that it is limited to. */
  readonly company: { readonly id: number; readonly guid: string } | undefined
}

export class PrivilegeList {
  readonly #bySubject = new Map<Subject, Privilege[]>()

  list(): Privilege[] {
    return [...this.#bySubject.values()].flat()
  }

  /** As a tenant document has them. */
  document() {
    const staying = this.list().filter(({ subject }) => !subject.sync.deleting)
    return staying.map(({ subject, level, company }) => ({
      svcId: subject.svcId,
      level,
      company: company && `${company.id}`,
    }))
  }

  /** Adding what is there already changes nothing. */
  add(privilege: Privilege, levels: Behaviour['privilegeLevels']): void {
    const { subject } = privilege
    const held = this.#bySubject.get(subject) ?? []
    // One level each: a level takes the place of others with the same reach, not of those for another company.
    const kept = levels === 'single' ? held.filter((each) => each.company?.id !== privilege.company?.id) : held
    const present = kept.some((each) => isSame(each, privilege))
    this.#bySubject.set(subject, present ? kept : [...kept, privilege])
    subject.holds.add(this)
  }

  /** Removing what is not there changes nothing. */
  remove(privilege: Privilege, removal: Behaviour['privilegeRemoval']): void {
    const { subject } = privilege
    const held = this.#bySubject.get(subject) ?? []
    const kept = removal === 'allLevels' ? [] : held.filter((each) => !isSame(each, privilege))
    if (kept.length === 0) this.drop(subject)
    else this.#bySubject.set(subject, kept)
  }

  /** Takes everything from a subject, e.g. because it is deleted. */
  drop(subject: Subject): void {
    this.#bySubject.delete(subject)
    subject.holds.delete(this)
  }
}

function isSame(a: Privilege, b: Privilege): boolean {
  return a.level === b.level && a.company?.id === b.company?.id
}
