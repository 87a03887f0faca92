// How far a run is, in one line that is written over and over.
import { formatDuration, formatNumber } from './format-count.ts'
import { type Line, paintLine, piece } from './line.ts'
import { cutToWidth, textWidth } from './text-width.ts'

export interface ProgressState {
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

export interface ProgressOptions {
  readonly colour?: boolean
  readonly width?: number
}

const barWidth = 20

/** One line without a line break, narrower than the terminal, so that it never wraps. */
export function progressLine(state: ProgressState, { colour = false, width = 80 }: ProgressOptions = {}): string {
  const { done, total, failed, rate, verified, waitingFor } = state
  const share = total > 0 ? Math.min(Math.max(done / total, 0), 1) : 1
  const filled = Math.floor(share * barWidth)
  const parts: { text: string; style?: 'add' | 'error' | 'faint' }[] = []
  if (width >= 60) {
    parts.push({ text: '━'.repeat(filled), style: 'add' }, { text: '─'.repeat(barWidth - filled), style: 'faint' })
    parts.push({ text: ' ' })
  }
  parts.push({ text: `${formatNumber(done)}/${formatNumber(total)}` })
  if (failed > 0) parts.push({ text: ' · ' }, { text: `${formatNumber(failed)} failed`, style: 'error' })
  if (rate !== undefined && rate > 0 && Number.isFinite(rate)) {
    const left = total > done ? ` · ${formatDuration(Math.ceil((total - done) / rate) * 1000)} left` : ''
    parts.push({ text: ` · ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}`, style: 'faint' })
  }
  if (verified !== undefined && verified > 0)
    parts.push({ text: ` · ${formatNumber(verified)} read back`, style: 'faint' })
  if (waitingFor !== undefined) parts.push({ text: ` · waiting for ${waitingFor}`, style: 'faint' })
  const line: Line[number][] = []
  let room = width - 1
  for (const { text, style } of parts) {
    const whole = piece(text, style)
    const cut = cutToWidth(whole.text, room)
    line.push({ ...whole, text: cut })
    room -= textWidth(cut)
    if (cut !== whole.text) break
  }
  return paintLine(line, colour)
}
