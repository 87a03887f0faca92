// Shows a plan in the form that was asked for.
import type { PlanDocument } from '../core/plan-document.ts'
import { renderPlanJson, renderPlanMarkdown, renderPlanText } from '../render/index.ts'
import type { Console } from './console.ts'
import type { SharedOptions } from './shared-options.ts'

export function planAs(document: PlanDocument, options: SharedOptions, console: Console): string {
  switch (options.format) {
    case 'json':
      return renderPlanJson(document)
    case 'markdown':
      return renderPlanMarkdown(document, {})
    case 'text':
      return renderPlanText(document, {
        colour: console.colour,
        width: console.width,
        verbose: options.verbose === true,
      })
  }
}
