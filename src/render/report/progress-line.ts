// The progress of an apply in one line that is overwritten.
import { formatDuration, formatNumber } from '../text/counts.ts'
import { cutLine, type Line, lineWidth, paintLine, piece, type TextForm } from '../text/line.ts'

interface ProgressState {
  readonly done: number
  readonly total: number
  readonly failed: number
  /** Steps in a second; 0: too early to say. */
  readonly rate?: number
  readonly verified?: number
  readonly waiting?: number
  /** No further step starts: how long the rest takes is anybody's guess. */
  readonly interrupted?: boolean
}

const barWidth = 20

/** One line that never wraps. The bar keeps its place: words give way, the least important first. */
export function progressLine(state: ProgressState, { colour = false, width = 80 }: Partial<TextForm> = {}): string {
  const room = width - 1
  const own = [...bar(state), ...count(state)]
  const words = describe(state)
  const lineOf = (most: number): Line => [
    ...own,
    ...words.flatMap(([text, rank]) => (rank <= most ? [piece(`  ${text}`, 'faint')] : [])),
  ]
  const fitting = [5, 4, 3, 2, 1, 0].map(lineOf).find((line) => lineWidth(line) <= room)
  return paintLine(fitting ?? cutLine(count(state), room), colour)
}

function bar({ done, total }: ProgressState): Line {
  const share = total > 0 ? Math.min(Math.max(done / total, 0), 1) : 1
  const filled = Math.floor(share * barWidth)
  return [piece('━'.repeat(filled), 'add'), piece('─'.repeat(barWidth - filled), 'faint'), piece('  ')]
}

function count({ done, total, failed }: ProgressState): Line {
  const line = [piece(`${formatNumber(done)} of ${formatNumber(total)}`)]
  if (failed > 0) line.push(piece(', '), piece(`${formatNumber(failed)} failed`, 'error'))
  return line
}

/** With a rank: what gives way first has the highest. */
function describe(state: ProgressState): (readonly [text: string, rank: number])[] {
  const { done, total, rate = 0, verified = 0, waiting = 0, interrupted } = state
  const hasRate = rate > 0 && Number.isFinite(rate) && !interrupted
  return [
    ...(interrupted ? ([['interrupted, running steps end', 1]] as const) : []),
    ...(hasRate ? ([[`${rate.toFixed(rate < 10 ? 1 : 0)} a second`, 5]] as const) : []),
    ...(hasRate && total > done ? ([[`${formatSeconds(Math.ceil((total - done) / rate))} left`, 2]] as const) : []),
    ...(waiting > 0 ? ([[`${formatNumber(waiting)} to synchronise`, 3]] as const) : []),
    ...(verified > 0 ? ([[`${formatNumber(verified)} read back`, 4]] as const) : []),
  ]
}

const formatSeconds = (seconds: number): string => (seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000))
