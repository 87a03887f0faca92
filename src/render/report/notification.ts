// Words the notification of a changed verdict for a webhook: the same facts as data, and as a card for a chat.
import type { ShownPlan } from '../changes/by-cause.ts'
import { neutralise } from '../text/neutralise.ts'
import { verdictAsJson } from './render-json.ts'

interface DriftNotification {
  readonly drift: ShownPlan
  /** The verdict before, in one line; null: there was no drift, or nobody remembers. */
  readonly before: string | null
  readonly issue: string | null
}

const forms = { json: asData, teams: asCard }

export const notificationAs = (form: keyof typeof forms, notified: DriftNotification): object => forms[form](notified)

function asData({ drift, before, issue }: DriftNotification): object {
  const { target, tool, counts, createdAt } = drift
  const verdict = verdictAsJson(drift, true)
  return { formatVersion: '1.0', event: 'drift', tool, target, createdAt, before, verdict, counts, issue }
}

const mostPoints = 10

function asCard({ drift, before, issue }: DriftNotification): object {
  const { severity, sentence, points } = verdictAsJson(drift, true)
  const text = (words: string, more: object = {}) => ({ type: 'TextBlock', text: plain(words), wrap: true, ...more })
  const color = severity === 'danger' ? 'Attention' : severity === 'notice' ? 'Warning' : 'Good'
  const facts = [...(before === null ? [] : [`Before: ${before}.`]), ...(issue === null ? [] : [`Decide in ${issue}.`])]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      text(`Drift of ${drift.target.name}: ${sentence}`, { weight: 'Bolder', size: 'Medium', color }),
      ...points
        .slice(0, mostPoints)
        .map((point) => text(`${point.sentence}: ${point.addresses.slice(0, 5).join(', ')}`)),
      ...(facts.length === 0 ? [] : [text(facts.join(' '), { isSubtle: true })]),
    ],
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] }
}

/** Cards take Markdown: no link, and no markup, comes of what others named. */
const plain = (text: string): string => neutralise(text).replace(/[[\]<>*_~`#]/g, (char) => `\\${char}`)
