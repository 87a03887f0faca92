// Folders of tests lie in memory where there is room: on a disk, making and removing many small files costs git half
// its time.
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const memory = '/dev/shm'
/** Tests take some MB; whoever shares the machine keeps the rest. */
const leastFree = 2 ** 30

/** For this process, its workers, and what they start, up to its end. An explicit TMPDIR holds. */
export function keepFoldersInMemory(): void {
  if (process.env.TMPDIR !== undefined || !isFit()) return
  const folder = mkdtempSync(join(memory, 'svcsync-tests-'))
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

/** Tests write programs and start them, which the mount of a container may forbid. */
function isFit(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory)
    const { bavail, bsize } = statfsSync(memory)
    return mount !== undefined && !/\b(?:noexec|ro)\b/.test(mount) && bavail * bsize >= leastFree
  } catch {
    return false
  }
}
