// The hidden first line by which a pipeline finds its own comment again, to replace it.
import { neutralise } from './neutralise.ts'

/** Two hyphens would end the comment. */
export function commentMarker(command: string, target: string): string {
  const encode = (text: string): string => encodeURIComponent(neutralise(text)).replaceAll('--', '%2D%2D')
  return `<!-- svcsync:${encode(command)}:${encode(target)} -->`
}
