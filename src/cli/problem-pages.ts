// What docs/problems.md says of each code, for `svcsync explain`. The build puts its text in.
declare const SVCSYNC_PROBLEMS: string | undefined

export interface ProblemPage {
  readonly code: string
  readonly means: string
  readonly todo: string
  /** The heading that it stands under: who must act. */
  readonly section: string
}

/** The rows of the tables of the page, in its order. A row may be about several codes. */
function readProblemPages(text: string): ProblemPage[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = line.slice(3).trim()
    // A bar inside of a cell is written `\|`.
    const [, codes = '', means = '', todo = ''] = line.split(/(?<!\\)\|/).map(plain)
    return (codes.match(/\bSVC\d{4}\b/g) ?? []).map((code) => ({ code, means, todo, section }))
  })
}

/** Links lead nowhere in a terminal: their text stays. */
function plain(cell: string): string {
  return cell
    .trim()
    .replaceAll('\\|', '|')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

export function problemPages(): readonly ProblemPage[] {
  return readProblemPages(typeof SVCSYNC_PROBLEMS === 'string' ? SVCSYNC_PROBLEMS : '')
}
