// Writes lines so that they outlast the process and the machine, all that come together with one flush.

export interface JournalFile {
  /** Appends the whole text, or rejects. */
  append(text: string): Promise<void>
  /** Resolves when everything that was appended is on the disk. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface JournalWriter {
  /** Resolves when the line is on the disk. Rejects, as every later call does, when the file cannot take it. */
  write(line: object): Promise<void>
  /** Waits for what is under way, and closes the file. Rejects when a line was lost. */
  close(): Promise<void>
}

/** `explain` makes an error of the system into one for people; `textOf` is asked in the order of the lines. */
export function createJournalWriter(
  file: JournalFile,
  explain: (error: unknown) => Error,
  textOf: (line: object) => string,
): JournalWriter {
  let lines: string[] = []
  let waiting: { resolve(): void; reject(error: Error): void }[] = []
  let writing: Promise<void> | undefined
  let broken: Error | undefined

  /** While one flush is under way the lines of others gather, and share the next. */
  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const text = lines.join('')
      const asked = waiting
      lines = []
      waiting = []
      try {
        await file.append(text)
        await file.flush()
        for (const { resolve } of asked) resolve()
      } catch (error) {
        broken = explain(error)
        for (const { reject } of [...asked, ...waiting]) reject(broken)
        lines = []
        waiting = []
      }
    }
    writing = undefined
  }
  return {
    write(line) {
      if (broken !== undefined) return Promise.reject(broken)
      return new Promise<void>((resolve, reject) => {
        lines.push(`${textOf(line)}\n`)
        waiting.push({ resolve, reject })
        // In a turn of its own: what is told in this one goes along.
        writing ??= Promise.resolve().then(drain)
      })
    },
    async close() {
      await writing
      await file.close()
      if (broken !== undefined) throw broken
    },
  }
}
