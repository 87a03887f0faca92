// Keeps state in a file: written soon after a change, whole or not at all.
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { OperatorError } from '../errors/index.ts'
import { readTenantJson, type TenantSource } from './tenant/read-tenant-file.ts'
import type { Tenant } from './tenant/tenant-shape.ts'

/** Writes that follow each other closely share one save. */
const debounceMs = 200

export class StateFile {
  readonly #file: string
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined when there is none yet. Throws OperatorError when it is there and cannot be used. */
  async read(): Promise<TenantSource | undefined> {
    return existsSync(this.#file) ? await readTenantJson(this.#file) : undefined
  }

  /** A change happened: `snapshot` is taken when the time to save has come. A failed save shows at the next one or at close. */
  touch(snapshot: () => Tenant): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.write(snapshot()).catch(() => undefined)
    }, debounceMs)
    this.#timer.unref()
  }

  /** Throws OperatorError when it cannot be written. */
  write(tenant: Tenant): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = `${JSON.stringify(tenant)}\n`
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#replace(text))
    return this.#writing
  }

  async #replace(text: string): Promise<void> {
    const draft = `${this.#file}.draft`
    try {
      // It holds the secrets of the applications, and whatever somebody has put into the tenant.
      await writeFile(draft, text, { mode: 0o600 })
      await rename(draft, this.#file)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new OperatorError('SVC2814', `the state file ${this.#file} cannot be written: the system says ${code}`, {
        hint: 'Check its folder and the rights on it. The state of this run is lost.',
        cause,
      })
    }
  }
}
