// Blocks are output as data. Printers know only blocks, and choose the number of rows by weight.
import type { Place } from '@svcsync/errors/index.ts'
import type { Tone } from '../text/line.ts'
import { spansOf } from '../text/markdown.ts'
import type { DifferenceRow } from './difference.ts'

/** The importance of a list: printers show all losses and the first news, and count the bulk. */
type Weight = 'loss' | 'news' | 'bulk'

export type Sign = '+' | '-' | '~' | '?' | '!' | '✗' | '○' | '•' | '≠'

/** Foreign text, such as an address or a value: it stays in one piece, and is code where a medium has that. */
interface Name {
  readonly name: string
  readonly tone?: Tone
}

/** Several of them, with commas; a printer names the first and counts the others. */
interface Names {
  readonly names: readonly string[]
  readonly weight: Weight
}

/** A bare string is a sentence of ours, in which back-ticks mark names. */
export type Inline = string | Name | Names | { readonly words: string; readonly tone: Tone } | { readonly at: Place }

export type Text = string | readonly Inline[]

export interface Row {
  readonly sign?: Sign
  readonly tone?: Tone
  readonly cells: readonly Text[]
  readonly place?: Place | undefined
  /** It is never only counted. */
  readonly isGrave?: boolean
  /** For so many things it stands where rows are counted; default 1. */
  readonly stands?: number
  readonly below?: readonly Text[]
  /** Made when they are printed: of thousands nobody looks at most. `limit`: characters of a value. */
  readonly differences?: (limit: number) => readonly DifferenceRow[]
  /** Filters of an HTML page. */
  readonly tags?: readonly string[]
  readonly id?: string
}

interface Table {
  readonly block: 'table'
  /** The title of a folded table: `Users`. */
  readonly title?: string
  readonly noun: readonly [one: string, several: string]
  /** Column headings; without them the rows are a list. */
  readonly headings?: readonly string[]
  /** Before the cells behind the first, where a row is a sentence: `Administrator`, `on`, `Purchasing`. */
  readonly joints?: readonly string[]
  readonly weight: Weight
  readonly rows: readonly Row[]
}

interface Note {
  readonly block: 'note'
  readonly text: Text
  readonly tone?: Tone
  readonly sign?: Sign
}

/** A heading, and what belongs below it: it ends where the block ends. Empty ones are not printed. */
interface Section {
  readonly block: 'section'
  readonly title: string
  readonly lead?: Text
  readonly tone?: Tone
  /** Kinds of points that it tells more about. */
  readonly about?: readonly string[]
  readonly blocks: readonly Block[]
}

interface Fold {
  readonly block: 'fold'
  readonly title: string
  readonly blocks: readonly Block[]
}

/** To be copied, each line in one piece. */
interface CopyBlock {
  readonly block: 'copy'
  readonly says?: Text
  readonly lines: readonly string[]
}

interface Frame {
  readonly block: 'frame'
  readonly lines: readonly string[]
}

interface Point {
  readonly kind: string
  readonly sentence: string
  readonly names: readonly string[]
  readonly sign: Sign
  readonly tone: Tone
}

/** The verdict as one spoken sentence, and its installation. */
interface Head {
  readonly block: 'head'
  /** `Drift of`, `Apply to`; empty for a plan. */
  readonly what: string
  readonly target: string
  /** All targets of the statement; absent: the only one. */
  readonly targets?: readonly string[]
  readonly about: readonly string[]
  /** The tool and its version, for files that are kept. */
  readonly tool?: string
  readonly severity: 'none' | 'notice' | 'danger'
  /** Without a full stop; empty: the target alone. */
  readonly sentence: string
  readonly isGood?: boolean
  readonly calm?: string
  readonly points: readonly Point[]
}

/** Remarks on the whole output, each once. */
interface Footer {
  readonly block: 'footer'
  readonly parts: readonly Text[]
  readonly blocks: readonly Block[]
}

type AnyBlock = Head | Section | Note | Table | Fold | CopyBlock | Frame | Footer

/** `Form`: of that form alone. */
export type Block<Form extends AnyBlock['block'] = AnyBlock['block']> = Extract<AnyBlock, { readonly block: Form }>

/** The head of an answer without a verdict, unless `more` gives one. */
export function head(what: string, target: string, about: readonly string[], more: Partial<Head> = {}): Head {
  return { block: 'head', what, target, about, severity: 'notice', sentence: '', points: [], ...more }
}

export function note(text: Text, tone?: Tone, sign?: Sign): Block {
  return { block: 'note', text, ...(tone && { tone }), ...(sign && { sign }) }
}

export const maybeNote = (text: string, tone?: Tone): Block[] => (text === '' ? [] : [note(text, tone)])

export function section(
  title: string,
  tone: Tone,
  blocks: readonly Block[],
  about: readonly string[] = [],
  lead?: Text,
): Block[] {
  return blocks.some(holdsAnything) ? [{ block: 'section', title, ...(lead && { lead }), tone, about, blocks }] : []
}

export const fold = (title: string, blocks: readonly Block[]): Block[] =>
  blocks.some(holdsAnything) ? [{ block: 'fold', title, blocks }] : []

const thing = ['entry', 'entries'] as const

export function table(rows: readonly Row[], form: Partial<Omit<Table, 'block' | 'rows'>> = {}): Block[] {
  if (rows.length === 0) return []
  return [{ block: 'table', noun: thing, weight: 'news', ...form, rows }]
}

export function holdsAnything(block: Block): boolean {
  switch (block.block) {
    case 'section':
    case 'fold':
      return block.blocks.some(holdsAnything)
    case 'footer':
      return block.parts.length > 0 || block.blocks.some(holdsAnything)
    case 'table':
      return block.rows.length > 0
    case 'copy':
      return block.lines.length > 0
    default:
      return true
  }
}

export const name = (text: string, tone?: Tone): Inline => (tone === undefined ? { name: text } : { name: text, tone })
export const names = (all: readonly string[], weight: Weight = 'news'): Inline => ({ names: all, weight })
export const words = (text: string, tone: Tone): Inline => ({ words: text, tone })

/** A sentence whose names stand between back-ticks, with those as names: a terminal shows them without. */
export function parseBackticks(sentence: string): Inline[] {
  return spansOf(sentence).flatMap((part, index) =>
    index % 2 === 1 ? [name(part)] : part.trim() === '' ? [] : [part.trim()],
  )
}

/** A text in the form of a medium: its parts have a blank between them, but for marks that end something. */
export function joinInline(text: Text, print: (part: Inline, isStart: boolean) => string): string {
  let said = ''
  for (const part of typeof text === 'string' ? [text] : text) {
    const own = print(part, said === '')
    const isGlued = said === '' || /^[,.;:)]/.test(own) || said.endsWith('(')
    if (own !== '') said += isGlued ? own : ` ${own}`
  }
  return said
}
