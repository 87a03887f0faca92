// YAML as export builds it, with comments, before it is printed.

export type YamlNode = YamlScalar | YamlMapping | YamlList

interface YamlScalar {
  readonly type: 'scalar'
  /** A text is written so that it stays one; numbers, booleans and null as they are. */
  readonly value: string | number | boolean | null
}

export interface YamlMapping {
  readonly type: 'mapping'
  readonly entries: readonly YamlEntry[]
  /** In one line, in braces. */
  readonly flow?: true
  /** Comments behind the last entry, without `# `. */
  readonly below?: readonly string[] | undefined
}

export interface YamlList {
  readonly type: 'list'
  readonly items: readonly YamlItem[]
  readonly below?: readonly string[] | undefined
}

export interface YamlEntry extends YamlItem {
  readonly key: string
}

export interface YamlItem {
  readonly value: YamlNode
  /** Comments above it, without `# `. */
  readonly above?: readonly string[] | undefined
  /** A comment behind it, on its line. */
  readonly beside?: string | undefined
}

export const scalar = (value: YamlScalar['value']): YamlScalar => ({ type: 'scalar', value })
