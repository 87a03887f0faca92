// Keeps state in a file: written soon after a change, whole or not at all.
import { existsSync } from 'node:fs'
import { OperatorError } from '@svcsync/errors/index.ts'
import { putInPlace } from '@svcsync/files/write-atomically.ts'
import { readTenantJson } from './tenant/read-tenant-file.ts'
import type { Tenant } from './tenant/tenant-shape.ts'

/** Writes that follow each other closely share one save. */
const debounceMs = 200

export class StateFile {
  readonly #file: string
  #timer: NodeJS.Timeout | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined when there is none yet. Throws OperatorError when it is there and cannot be used. */
  read(): ReturnType<typeof readTenantJson> | undefined {
    return existsSync(this.#file) ? readTenantJson(this.#file) : undefined
  }

  /** A change happened: `snapshot` is taken when the time to save has come. A failed save shows at close. */
  touch(snapshot: () => Tenant): void {
    this.#timer ??= setTimeout(() => {
      try {
        this.write(snapshot())
      } catch {}
    }, debounceMs)
    this.#timer.unref()
  }

  /** Throws OperatorError when it cannot be written. */
  write(tenant: Tenant): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      // It holds the secrets of the applications, and whatever somebody has put into the tenant.
      putInPlace(this.#file, `${JSON.stringify(tenant)}\n`, 0o600)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new OperatorError('SVC2814', `the state file ${this.#file} cannot be written: the system says ${code}`, {
        hint: 'Check its folder and the rights on it. The state of this run is lost.',
        cause,
      })
    }
  }
}
