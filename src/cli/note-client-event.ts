// Says on stderr what the platform client does about trouble: that the platform is silent always, repetitions when asked.
import type { ClientEvent } from '../platform/index.ts'
import type { Console } from './console.ts'

export function noteClientEvent(event: ClientEvent, console: Console, verbose: boolean): void {
  switch (event.kind) {
    case 'platform-silent': {
      const { failures, delayMs, reason } = event
      const what = reason.status === undefined ? reason.code : `${reason.status}, ${reason.code}`
      const seconds = Math.round(delayMs / 100) / 10
      console.note(
        `The platform is silent (${failures} failures in a row: ${what}). Nothing is sent; a look in ${seconds} s.`,
      )
      return
    }
    case 'platform-down':
      console.note('The platform is down. Nothing more is sent.')
      return
    case 'platform-back':
      console.note('The platform is back.')
      return
    case 'retry':
      if (verbose) console.note(`${event.method} ${event.path}: again in ${event.delayMs} ms (${event.reason.code})`)
      return
    default:
  }
}
