// Problems of files that end a run, with the texts of the files: whoever shows them frames the lines.
import { AuthorError, type Problem } from '@svcsync/errors/index.ts'
import type { TextSource } from './text-source.ts'

export class UnusableFiles extends AuthorError {
  readonly sources: ReadonlyMap<string, TextSource>

  constructor(problems: readonly Problem[], sources: ReadonlyMap<string, TextSource> = new Map()) {
    super(problems)
    this.sources = sources
  }
}
