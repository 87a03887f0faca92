// Collects the items that a walk meets as declarations, and lets their kinds check what the schema cannot say.
import { type Declaration, placeIn } from '../core/model/declaration.ts'
import type { JsonObject } from '../core/model/json.ts'
import type { Source } from '../core/model/source.ts'
import type { Problem } from '../errors/index.ts'
import type { DeclarationSink } from './reading.ts'
import type { SectionRef } from './shape.ts'

type Draft = { -readonly [K in keyof Declaration]: Declaration[K] }

export class DeclarationCollector implements DeclarationSink {
  readonly #declarations: Draft[]
  readonly #problems: Problem[]
  readonly #source: Source
  readonly #open: Draft[] = []
  /** Where each of them stands among the declarations. */
  readonly #openAt: number[] = []
  #documentStart: number

  constructor(declarations: Declaration[], problems: Problem[], source: Source) {
    this.#declarations = declarations
    this.#problems = problems
    this.#source = source
    this.#documentStart = declarations.length
  }

  open({ kind, section }: SectionRef, item: JsonObject): void {
    const parent = this.#open.at(-1)
    const declaration = { kind, section, item, source: this.#source, database: undefined, document: undefined, parent }
    this.#open.push(declaration)
    this.#openAt.push(this.#declarations.length)
    this.#declarations.push(declaration)
  }

  close(sound: boolean): void {
    const declaration = this.#open.pop()
    const index = this.#openAt.pop()
    if (declaration === undefined || index === undefined) return
    if (declaration.item[declaration.section.identity] === undefined) {
      // Without a name nothing more can be said about it, nor about what stands in it.
      this.#declarations.length = index
    } else if (sound) {
      for (const { code, severity = 'error', message, hint, path } of declaration.kind.check?.(declaration.item) ??
        []) {
        this.#problems.push({ code, severity, message, hint, place: placeIn(declaration, path, 'key') })
      }
    }
  }

  /** `database:` may stand anywhere in the document, so its items learn of it, and of its offset, at the end. */
  endDocument(database: string | undefined, at: number | undefined): void {
    const document = { at }
    for (let index = this.#documentStart; index < this.#declarations.length; index++) {
      const declaration = this.#declarations[index] as Draft
      declaration.database = database
      declaration.document = document
    }
    this.#documentStart = this.#declarations.length
  }
}
