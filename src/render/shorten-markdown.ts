// Fits Markdown into a comment: the fullest version that is short enough, and it says what it leaves out.

/** Versions from the fullest to the shortest, made only as far as needed. */
export function shortenMarkdown<Stage>(
  stages: readonly Stage[],
  render: (stage: Stage) => string,
  maxLength: number,
): string {
  let text = ''
  for (const stage of stages) {
    text = render(stage)
    if (text.length <= maxLength) return text
  }
  // Not even the counts fit. A cut inside of markup might swallow what stands around it, so whole lines go.
  while (text.length > maxLength && text.includes('\n')) text = text.slice(0, text.lastIndexOf('\n'))
  return text.length <= maxLength ? text : ''
}
