// Lines of the result, as they are written.

export class LineWriter {
  readonly #lines: string[] = []
  /** A line that has begun with dashes, and waits for what comes behind them. */
  #open: string | undefined
  /** The last lines belong to a text, blank ones too: nothing may be added to them. */
  #closedText = false

  line(indent: number, text: string): void {
    this.#lines.push(`${this.#open ?? ' '.repeat(indent)}${text}`.trimEnd())
    this.#open = undefined
    this.#closedText = false
  }

  /** Begins a line with a dash; what is written next stands behind it. */
  dash(indent: number): void {
    this.#open = `${this.#open ?? ' '.repeat(indent)}- `
  }

  /** Lines of a text, as they are. */
  text(indent: number, lines: readonly string[], keepsEnd: boolean): void {
    for (const line of lines) this.#lines.push(line === '' ? '' : `${' '.repeat(indent)}${line}`)
    this.#closedText = keepsEnd
  }

  /** One blank line, unless there is one, or none can be. */
  blank(): void {
    if (this.#closedText || this.#open !== undefined || this.#lines.length === 0 || this.#lines.at(-1) === '') return
    this.#lines.push('')
  }

  /** Takes blank lines back: nothing follows that they would set apart. */
  trim(): void {
    while (!this.#closedText && this.#lines.at(-1) === '') this.#lines.pop()
  }

  toString(): string {
    this.trim()
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`
  }
}
