// Messages of commands on stderr beside their results: about the project file, and about trouble with the platform.

import { dirname } from 'node:path'
import { cwd } from 'node:process'
import { shownPath } from '@svcsync/files/paths.ts'
import type { PlatformClientOptions } from '@svcsync/platform/client-options.ts'
import type { SharedOptions } from '../program/options.ts'
import type { Console } from './console.ts'

/** Says which project file was taken, where the folder does not show it: it decides where the credentials go. */
export function noteProject(
  file: string,
  { project, verbose }: Pick<SharedOptions, 'project' | 'verbose'>,
  console: Pick<Console, 'note'>,
): void {
  const isElsewhere = project === undefined && dirname(file) !== cwd()
  if (isElsewhere || verbose === true) console.note(`Project file: ${shownPath(file, cwd())}`)
}

/** A silent platform is always reported, repetitions only with --verbose. */
export function noteClientEvent(
  event: Parameters<NonNullable<PlatformClientOptions['onEvent']>>[0],
  console: Console,
  verbose: boolean,
): void {
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

/** Each once, however many objects tell it. */
export function noteUnknownKeys(console: Pick<Console, 'note'>): (key: string, isField: boolean) => void {
  const noted = new Set<string>()
  return (key, isField) => {
    if (noted.has(key)) return
    noted.add(key)
    const use = isField ? ': it is compared and sent where `extra` holds it' : ', and neither compares nor sends'
    console.note(`The platform tells ${key}, which svcsync does not know${use}.`)
  }
}
