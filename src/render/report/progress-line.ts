// How far a run is, in one line that is written over and over.
import { formatDuration, formatNumber } from '../text/counts.ts'
import { cutLine, type Line, lineWidth, paintLine, piece, type TextForm } from '../text/line.ts'

interface ProgressState {
  readonly done: number
  readonly total: number
  readonly failed: number
  /** Steps in a second; undefined: too early to say. */
  readonly rate?: number | undefined
  /** Objects that were read again after the last step. */
  readonly verified?: number | undefined
  /** What the run is waiting for: an address, or a few words. */
  readonly waitingFor?: string | undefined
}

const barWidth = 20

/** One line without a line break, narrower than the terminal, so that it never wraps. The bar gives way to the words. */
export function progressLine(state: ProgressState, { colour = false, width = 80 }: Partial<TextForm> = {}): string {
  const room = width - 1
  const words = describe(state)
  const line = [...bar(state), ...words]
  return paintLine(cutLine(lineWidth(line) <= room ? line : words, room), colour)
}

function bar({ done, total }: ProgressState): Line {
  const share = total > 0 ? Math.min(Math.max(done / total, 0), 1) : 1
  const filled = Math.floor(share * barWidth)
  return [piece('━'.repeat(filled), 'add'), piece('─'.repeat(barWidth - filled), 'faint'), piece(' ')]
}

function describe({ done, total, failed, rate, verified, waitingFor }: ProgressState): Line {
  const line = [piece(`${formatNumber(done)}/${formatNumber(total)}`)]
  if (failed > 0) line.push(piece(' · '), piece(`${formatNumber(failed)} failed`, 'error'))
  if (rate !== undefined && rate > 0 && Number.isFinite(rate)) {
    const left = total > done ? ` · ${formatSeconds(Math.ceil((total - done) / rate))} left` : ''
    line.push(piece(` · ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}`, 'faint'))
  }
  if (verified !== undefined && verified > 0) line.push(piece(` · ${formatNumber(verified)} read back`, 'faint'))
  if (waitingFor !== undefined) line.push(piece(` · waiting for ${waitingFor}`, 'faint'))
  return line
}

function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)
}
