// Loaded before a program with --require: writes its peak memory in MB and its processor time in ms to BENCH_PEAK_FILE
// when it ends.
import { readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  const file = process.env.BENCH_PEAK_FILE
  const { user, system } = process.cpuUsage()
  if (file !== undefined) writeFileSync(file, `${peakMb()} ${(user + system) / 1000}`)
})

/** The kernel's own mark, since the figure of getrusage begins with the size of the process that started this one. */
function peakMb(): number {
  try {
    const mark = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))
    if (mark !== null) return Number(mark[1]) / 1024
  } catch {
    // No Linux.
  }
  return process.resourceUsage().maxRSS / 1024
}
