// Formats manifest files where they lie, or says what that would change.
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { errorAt, type Problem, whyUnwritable } from '@svcsync/errors/index.ts'
import { liesWithin, shownPath } from '@svcsync/files/paths.ts'
import { writeAtomically } from '@svcsync/files/write-atomically.ts'
import { type LoadOptions, loadManifests } from '@svcsync/manifests/load-manifests.ts'
import { manifestShapeOf } from '@svcsync/manifests/manifest-shape.ts'
import type { MappingShape } from '@svcsync/manifests/shape.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import { digestOf, type FormatCache } from './format-cache.ts'
import { formatText } from './format-text.ts'
import { unifiedDiff } from './unified-diff.ts'

/** Links are followed inside `projectDir`. */
interface FormatOptions extends Pick<LoadOptions, 'files' | 'kinds' | 'projectDir' | 'displayBase'> {
  readonly write: boolean
  readonly diff: boolean
  /** Absolute paths of manifests. Absent: all of them are. */
  readonly manifests?: ReadonlySet<string> | undefined
  /** Files that are no manifests, each sort with its shape. Absent: there is none. */
  readonly others?: readonly {
    readonly files: ReadonlySet<string>
    readonly shape: MappingShape
  }[]
  /** Absolute paths of files that the user named: a foreign file among these is an error. */
  readonly named?: ReadonlySet<string> | undefined
  /** Texts that were found canonical before: they are not laid out again. */
  readonly known?: FormatCache | undefined
}

export interface FormattedFile {
  readonly file: string
  /** `changed`: also if it would change; `left`: unchanged for the reasons in `problems`. */
  readonly outcome: 'changed' | 'unchanged' | 'left'
  readonly problems: readonly Problem[]
  readonly sources: ReadonlyMap<string, TextSource>
  /** Unified, with line feeds. */
  readonly diff?: string
}

/** Problems that leave open what a file says: unreadable, unparsable, repeated keys, aliases without meaning. */
const unclear = new Set(['SVC1001', 'SVC1002', 'SVC1003', 'SVC1004', 'SVC1005', 'SVC1007'])

const foreignHint = 'Name manifests, such as `manifests/users.yaml`, or files of policies.'

/** Bytes; larger files are refused anyway. */
const maxKnownSize = 64 * 1024 * 1024

/** One file after the other; what is wrong with one keeps no other from being formatted. */
export function* formatFiles(options: FormatOptions): Generator<FormattedFile> {
  const seen = new Set<string>()
  const { document } = manifestShapeOf(options.kinds)
  for (const path of options.files) {
    const file = shownPath(path, options.displayBase)
    try {
      const real = realpathSync(path)
      if (seen.has(real)) continue
      seen.add(real)
      const result = leadsOutside(path, real, options.projectDir)
        ? left(file, `${quoted(file)} is a link that leads out of the project`, 'Name the file that it leads to.')
        : formatFile(path, real, file)
      if (result !== undefined) yield result
    } catch (error) {
      const code = String((error as { readonly code?: unknown }).code)
      if (code === 'undefined') throw error
      yield left(
        file,
        `${quoted(file)} cannot be formatted: ${whyUnwritable(code)}`,
        'Check the file, its rights and the room on the disk.',
      )
    }
  }

  /** The possible shapes of a file. The project, or else the file, tells which one it is. */
  function shapesOf(path: string): readonly [MappingShape, ...MappingShape[]] {
    const { manifests, others } = options
    if (others === undefined || manifests === undefined || manifests.has(path)) return [document]
    const own = others.find(({ files }) => files.has(path))
    return own === undefined ? [document, ...others.map(({ shape }) => shape)] : [own.shape]
  }

  /** The canonical text depends on the shape, and the cache knows texts only. */
  function cacheFor(shapes: readonly MappingShape[]): FormatCache | undefined {
    return shapes.length === 1 && shapes[0] === document ? options.known : undefined
  }

  /** Undefined: it is no file of this tool, and nobody has named it. */
  function formatFile(path: string, real: string, file: string): FormattedFile | undefined {
    const shapes = shapesOf(path)
    const known = cacheFor(shapes)
    if (known !== undefined && isKnown(real, known)) {
      return { file, outcome: 'unchanged', problems: [], sources: new Map() }
    }
    const { problems, sources } = load(path, options)
    const reasons = problems.filter(({ code }) => unclear.has(code))
    const source = sources.get(file)
    if (reasons.length > 0 || source === undefined) return { file, outcome: 'left', problems: reasons, sources }
    const text = readFileSync(real, 'utf8')
    const result = formatText(text, ...shapes)
    if ('refused' in result) return refusedFile(result, file, source, options.named?.has(path) === true)
    const isCanonical = result.text === text
    if (isStale(real, text, source))
      return left(file, `${quoted(file)} has changed meanwhile`, 'Run `svcsync fmt` again.')
    if (!isCanonical && options.write) writeAtomically(real, result.text)
    if (isCanonical || options.write) known?.add(digestOf(result.text))
    if (isCanonical) return { file, outcome: 'unchanged', problems: [], sources }
    const diff = options.diff ? { diff: unifiedDiff(file, source, result.text) } : {}
    return { file, outcome: 'changed', problems: [], sources, ...diff }
  }
}

/** Only what was judged is written: the file may have changed between the two readings, or since. */
function isStale(real: string, text: string, source: TextSource): boolean {
  return text.replace(/^\ufeff/, '') !== source.text || readFileSync(real, 'utf8') !== text
}

function refusedFile(
  { refused, foreign, offset }: Extract<ReturnType<typeof formatText>, { readonly refused: string }>,
  file: string,
  source: TextSource,
  isNamed: boolean,
): FormattedFile | undefined {
  if (foreign) return isNamed ? left(file, `${quoted(file)} ${refused}`, foreignHint, source) : undefined
  const hint = 'The file stays as it is: write this part in another way.'
  return left(file, `${quoted(file)} ${refused}`, hint, source, offset)
}

/** A file of which this cannot be told is formatted, which says what is the matter. */
function isKnown(path: string, known: FormatCache): boolean {
  try {
    const stats = statSync(path)
    // Reading a pipe or a device might never end.
    return stats.isFile() && stats.size <= maxKnownSize && known.has(digestOf(readFileSync(path)))
  } catch {
    return false
  }
}

/** Without variables, and without the environment: only what is wrong with the file itself counts. */
function load(path: string, { kinds, projectDir, displayBase }: FormatOptions) {
  return loadManifests({ files: [path], kinds, variables: {}, env: {}, projectDir, displayBase })
}

/** A link may lead anywhere; a file outside that is named as what it is, is wanted. */
function leadsOutside(path: string, real: string, projectDir: string): boolean {
  if (liesWithin(realpathSync(projectDir), real)) return false
  return liesWithin(projectDir, path) || lstatSync(path).isSymbolicLink()
}

function left(file: string, message: string, hint?: string, source?: TextSource, offset = 0): FormattedFile {
  const problems = [errorAt('SVC2020', message, source?.placeAt(offset), hint)]
  return { file, outcome: 'left', problems, sources: new Map(source && [[file, source]]) }
}

function quoted(file: string): string {
  return `\`${file}\``
}
