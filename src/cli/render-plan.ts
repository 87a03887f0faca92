// Shows a plan in the form that was asked for.
import type { PlanDocument } from '../core/plan-document.ts'
import { renderPlanJson } from '../render/render-json.ts'
import { renderPlanMarkdown } from '../render/render-plan-markdown.ts'
import { renderPlanText } from '../render/render-plan-text.ts'
import type { Console } from './console.ts'
import type { SharedOptions } from './shared-options.ts'

/** `offersDigest`: says at the end how to apply this plan and no other. */
export function planAs(
  document: PlanDocument,
  options: Pick<SharedOptions, 'format' | 'verbose'>,
  console: Console,
  offersDigest = false,
): string {
  switch (options.format) {
    case 'json':
      return renderPlanJson(document)
    case 'markdown':
      return renderPlanMarkdown(document, { offersDigest })
    case 'text':
      return renderPlanText(document, {
        colour: console.colour,
        width: console.width,
        verbose: options.verbose === true,
        offersDigest,
      })
  }
}
