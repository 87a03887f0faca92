// A difference as rows, the same for every medium: values, lines of a long text, and entries of a list.

export interface DisplayedValue {
  readonly text: string
  /** A word of ours in place of a value: `(inherits)`. */
  readonly remark?: true
}

interface RowBase {
  readonly label: string
  /** The place of the value, if another file than the object's sets it. */
  readonly at?: string
}

interface ValueRow extends RowBase {
  readonly form: 'value'
  /** Absent: there is no object yet that could have had a value. */
  readonly before?: DisplayedValue
  readonly after: DisplayedValue
}

interface DiffLine {
  /** ` ` context, `@` a heading or a remark of ours. */
  readonly mark: '+' | '-' | ' ' | '@'
  readonly text: string
}

interface LinesRow extends RowBase {
  readonly form: 'lines'
  readonly diff: readonly DiffLine[]
}

interface PlacedEntry {
  readonly text: string
  /** The line that names it; without the file where that is the one of the entry before: `:12:5`. */
  readonly at: string
}

/** Entries that have one reason, said once however many they are. */
interface EntryGroup {
  readonly sign: '+' | '-'
  /** Words that stay together: `through`, `set clerks`, `manifests/groups.yaml:6:15`; `ended 2026-11-30`. */
  readonly reason: readonly string[]
  readonly entries: readonly PlacedEntry[]
}

interface EntriesRow extends RowBase {
  readonly form: 'entries'
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Why some are removed: `not in`, `set clerks`, …; words that stay together. */
  readonly notIn: readonly string[]
  readonly groups: readonly EntryGroup[]
}

interface RowByForm {
  readonly value: ValueRow
  readonly lines: LinesRow
  readonly entries: EntriesRow
}

export type DifferenceRow<Form extends keyof RowByForm = keyof RowByForm> = RowByForm[Form]
