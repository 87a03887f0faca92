// Renames a file on systems that refuse while another program has it open.
import { renameSync } from 'node:fs'
import process from 'node:process'

interface Patience {
  readonly platform?: NodeJS.Platform
  readonly rename?: (from: string, to: string) => void
  readonly pause?: (ms: number) => void
}

/** Scanners, indexers and editors of Windows open new files at once, mostly for some milliseconds. */
const pausesMs = [10, 20, 40, 80, 160, 320, 640]

const whileOpen: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY'])

/** Throws what the system says, on Windows after a second. */
export function renamePatiently(from: string, to: string, patience: Patience = {}): void {
  const { platform = process.platform, rename = renameSync, pause = pauseFor } = patience
  for (const ms of platform === 'win32' ? pausesMs : []) {
    try {
      rename(from, to)
      return
    } catch (error) {
      if (!whileOpen.has((error as { readonly code?: unknown }).code)) throw error
      pause(ms)
    }
  }
  rename(from, to)
}

/** Not asynchronous: an edit of several files is not interrupted between two of them. */
function pauseFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
