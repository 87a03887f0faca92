// Lines of terminal text as data: pieces with a meaning. Layout counts their columns, and only painting knows colours;
// every piece is neutralised here, so no foreign character can reach the terminal unseen.

import { textWidth } from '../core/model/text-width.ts'
import { disarmLines, neutralise } from './neutralise.ts'

export type Style = 'add' | 'remove' | 'change' | 'strong' | 'faint' | 'warning' | 'error' | 'good'

export interface Piece {
  readonly text: string
  readonly style?: Style
}

export type Line = readonly Piece[]

// The sixteen basic colours alone: those follow the theme of the terminal, and stay readable on light and dark.
const codes: Readonly<Record<Style, string>> = {
  add: '32',
  remove: '31',
  change: '33',
  strong: '1',
  faint: '2',
  warning: '33',
  error: '1;31',
  good: '32',
}

export function piece(text: string, style?: Style): Piece {
  const safe = neutralise(text)
  return style === undefined ? { text: safe } : { text: safe, style }
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + textWidth(text), 0)
}

export function indent(columns: number): Piece {
  return { text: ' '.repeat(columns) }
}

/** The code of a problem in front of its sentence; nothing where it has none. */
export function codePieces(code: string | undefined): readonly Piece[] {
  return code === undefined ? [] : [piece(code, 'faint'), indent(2)]
}

/** Ends every line with a line break; without trailing blanks. */
export function paint(lines: readonly Line[], colour: boolean): string {
  return disarmLines(lines.map((line) => `${paintLine(line, colour)}\n`).join(''))
}

export function paintLine(line: Line, colour: boolean): string {
  let result = ''
  for (const { text, style } of line) {
    const safe = neutralise(text)
    result += colour && style !== undefined && safe.trim() !== '' ? `\u001b[${codes[style]}m${safe}\u001b[0m` : safe
  }
  return result.trimEnd()
}
