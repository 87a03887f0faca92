// Who holds which licences, and how many there are.
import type { TypeOf } from '../shape/shape.ts'
import { type HeldLicense, type licensesShape, licenseTypes } from '../tenant/tenant-shape.ts'

interface LicenseHolder {
  readonly svcId: string
  name: string | null
  /** At most one of each type. */
  readonly licenses: Map<HeldLicense['type'], HeldLicense>
}

export class Licenses {
  installation: 'cloud' | 'onPremises'
  readonly available: Record<string, number>
  readonly #holders = new Map<string, LicenseHolder>()
  readonly #assigned = new Map<HeldLicense['type'], number>()

  constructor(document: TypeOf<typeof licensesShape> = {}) {
    this.installation = document.installation ?? 'cloud'
    this.available = { ...document.available }
    for (const entry of document.assigned ?? []) {
      for (const license of entry.licenses) {
        this.give(entry.svcId, entry.name ?? null, typeof license === 'string' ? { type: license } : license)
      }
    }
  }

  holders(): LicenseHolder[] {
    return [...this.#holders.values()].filter((holder) => holder.licenses.size > 0)
  }

  /** Ids of licence holders are compared without case whatever the directory does: they are logins. */
  holder(svcId: string): LicenseHolder | undefined {
    return this.#holders.get(svcId.toLowerCase())
  }

  assigned(type: HeldLicense['type']): number {
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
    const holder = this.holder(svcId) ?? { svcId, name, licenses: new Map<HeldLicense['type'], HeldLicense>() }
    this.#holders.set(svcId.toLowerCase(), holder)
    if (!holder.licenses.has(license.type)) this.#assigned.set(license.type, this.assigned(license.type) + 1)
    holder.licenses.set(license.type, license)
  }

  /** The account is gone, and its licences with it. It stays known as one that held some. */
  end(svcId: string, name: string | null): void {
    const holder = this.holder(svcId) ?? { svcId, name, licenses: new Map<HeldLicense['type'], HeldLicense>() }
    this.#holders.set(svcId.toLowerCase(), holder)
    for (const type of [...holder.licenses.keys()]) this.take(holder, type)
  }

  take(holder: LicenseHolder, type: HeldLicense['type']): void {
    if (holder.licenses.delete(type)) this.#assigned.set(type, this.assigned(type) - 1)
  }
}
