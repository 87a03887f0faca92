// Problems as people see them in a terminal. Apart from what plans: commands that do not plan load none of it.
import type { Problem } from '@svcsync/errors/index.ts'
import { codeFrame } from '@svcsync/manifests/code-frame.ts'
import { frameMargin, renderProblemsText } from '@svcsync/render/problems/render-problems-text.ts'
import type { TextForm } from '@svcsync/render/text/line.ts'
import type { OpenedProject } from '@svcsync/runs/open/open-project.ts'

export function problemsText(
  problems: readonly Problem[],
  opened: Pick<OpenedProject, 'sources'>,
  form: TextForm,
): string {
  const columns = form.width - frameMargin
  return renderProblemsText(problems, { ...form, frame: (problem) => codeFrame(problem, opened.sources, columns) })
}

/** An error whose full text is ready to be shown. */
export class ShownError {
  readonly text: string
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], opened: Pick<OpenedProject, 'sources'>, form: TextForm) {
    this.text = problemsText(problems, opened, form)
    this.problems = problems
  }
}
