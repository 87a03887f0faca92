// The part of docs/emulator.md that follows from the emulator: its switches.
import { readFileSync } from 'node:fs'
import { switches } from '../../src/emulator/behaviour.ts'
import { type Row, replaced, table } from './page-part.ts'

export function emulatorPage(): string {
  const switchRows = Object.entries(switches).map(([name, { values, says }]): Row => [`\`${name}\``, values, says])
  return replaced(readFileSync('docs/emulator.md', 'utf8'), [
    table(['switch', 'values, the default first', 'about'], switchRows),
  ])
}
