// Problems as people see them in a terminal. Apart from what plans: commands that do not plan load none of it.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { codeFrame } from '@svcsync/manifests/code-frame.ts'
import type { TextSource } from '@svcsync/manifests/text-source.ts'
import type { UnusableFiles } from '@svcsync/manifests/unusable-files.ts'
import { frameMargin, renderProblemsText } from '@svcsync/render/problems/render-problems-text.ts'
import type { TextForm } from '@svcsync/render/text/line.ts'

export function problemsText(
  problems: readonly Problem[],
  sources: ReadonlyMap<string, TextSource>,
  form: TextForm,
): string {
  const columns = form.width - frameMargin
  return renderProblemsText(problems, { ...form, frame: (problem) => codeFrame(problem, sources, columns) })
}

/** Collects the problems of targets that share manifests: each once, with all its targets. */
export class ProblemsOfTargets {
  readonly #sources = new Map<string, TextSource>()
  readonly #found = new Map<string, { readonly problem: Problem; readonly targets: string[] }>()

  add(target: string, { problems, sources }: UnusableFiles): void {
    for (const [file, source] of sources) this.#sources.set(file, source)
    for (const problem of problems) {
      const key = JSON.stringify(problem)
      const known = this.#found.get(key)
      if (known === undefined) this.#found.set(key, { problem, targets: [target] })
      else if (!known.targets.includes(target)) known.targets.push(target)
    }
  }

  texts(form: TextForm): readonly string[] {
    const groups = groupBy([...this.#found.values()], ({ targets }) => targets.join(' '))
    return [...groups.values()].map((all) => {
      const names = all[0]?.targets ?? []
      const named = names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
      const problems = all.map(({ problem }) => problem)
      return problemsText(problems, this.#sources, form).replace(/\n$/, '').replace(/^/gm, `[${named}] `)
    })
  }
}
