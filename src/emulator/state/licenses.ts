// The holders of licences, and the counts.
import type { TypeOf } from '../shape/shape.ts'
import { type HeldLicense, type licensesShape, licenseTypes } from '../tenant/tenant-shape.ts'

interface LicenseHolder {
  readonly svcId: string
  readonly name: string | null
  /** At most one of each type. */
  readonly licenses: Map<string, HeldLicense>
}

export class Licenses {
  readonly installation: 'cloud' | 'onPremises'
  readonly available: Record<string, number>
  readonly #holders = new Map<string, LicenseHolder>()
  readonly #assigned = new Map<string, number>()

  constructor({ installation = 'cloud', available, assigned = [] }: TypeOf<typeof licensesShape> = {}) {
    this.installation = installation
    this.available = { ...available }
    for (const { svcId, name = null, licenses } of assigned)
      for (const each of licenses) this.give(svcId, name, typeof each === 'string' ? { type: each } : each)
  }

  holders(): LicenseHolder[] {
    return [...this.#holders.values()].filter((holder) => holder.licenses.size > 0)
  }

  /** Ids of licence holders are compared without case whatever the directory does: they are logins. */
  holder(svcId: string): LicenseHolder | undefined {
    return this.#holders.get(svcId.toLowerCase())
  }

  assigned(type: string): number {
    return this.#assigned.get(type) ?? 0
  }

  /** Types that the document gives no number for are not limited, and left out. */
  summary() {
    return [...new Set([...licenseTypes, ...Object.keys(this.available)])].flatMap((type) => {
      const total = this.available[type]
      return total === undefined ? [] : [{ license: type, total, assigned: this.assigned(type) }]
    })
  }

  give(svcId: string, name: string | null, license: HeldLicense): void {
    const { licenses } = this.#hold(svcId, name)
    if (!licenses.has(license.type)) this.#assigned.set(license.type, this.assigned(license.type) + 1)
    licenses.set(license.type, license)
  }

  /** The account is gone, and its licences with it. It stays known as one that held some. */
  end(svcId: string, name: string | null): void {
    const holder = this.#hold(svcId, name)
    for (const type of [...holder.licenses.keys()]) this.take(holder, type)
  }

  take(holder: LicenseHolder, type: string): void {
    if (holder.licenses.delete(type)) this.#assigned.set(type, this.assigned(type) - 1)
  }

  /** Remembers these people's licences; the returned function restores them. */
  remember(svcIds: readonly string[]): () => void {
    const assigned = [...this.#assigned]
    const held = svcIds.map((svcId) => {
      const holder = this.holder(svcId)
      return [svcId.toLowerCase(), holder && { ...holder, licenses: new Map(holder.licenses) }] as const
    })
    return () => {
      this.#assigned.clear()
      for (const [type, count] of assigned) this.#assigned.set(type, count)
      for (const [key, holder] of held)
        if (holder === undefined) this.#holders.delete(key)
        else this.#holders.set(key, holder)
    }
  }

  #hold(svcId: string, name: string | null): LicenseHolder {
    const holder = this.holder(svcId) ?? { svcId, name, licenses: new Map<string, HeldLicense>() }
    this.#holders.set(svcId.toLowerCase(), holder)
    return holder
  }
}
