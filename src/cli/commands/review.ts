// The commands that answer questions: about access, about results, and about svcsync itself.
import { parseUrl } from '@svcsync/core/model/url.ts'
import { InvalidArgumentError } from 'commander'
import { choice, command, flag, many, optional, parsed, required, text, type Values } from '../program/command.ts'
import { formatsOf } from '../program/formats.ts'
import {
  connection,
  format,
  ofPlans,
  ofTarget,
  output,
  planning,
  positiveInteger,
  service,
  variables,
} from '../program/options.ts'

const questions = ['explain', 'of', 'list', 'accept', 'review', 'grant', 'revoke'] as const
const access = {
  ...ofTarget,
  var: variables(),
  format: format(formatsOf('access')),
  ...output(),
  ...connection,
  person: text('<svcId>', 'only this account'),
  level: text('<level>', 'only this level; `owner` of groups'),
  object: text('<glob>', 'only on these objects'),
  at: text('<ref|date>', 'as declared at this commit, or at the last one up to this day'),
  strict: flag('fail if anything was not read, or global privileges are not reviewed'),
  company: text('<name>', 'accept, grant, revoke: limited to this business entity'),
  all: flag('accept: all that `drift --access` shows'),
  until: text('<date>', 'accept: last day of the exception; review start: of the review (default: two weeks)'),
  reason: text('<text>', 'accept: the reason, for later readers'),
  by: choice('<who>', 'review start: owners of groups decide, Administrators of objects, or managers', [
    'owner',
    'object',
    'person',
  ]),
  maxAge: parsed('<days>', 'review status: exit with 2 if late, or older, e.g. 90d', days),
  choose: parsed(
    '<n>',
    'grant, revoke: another way than the first; for a grant, one edit always suffices',
    positiveInteger,
  ),
  write: flag('grant, revoke: write the edit'),
  dryRun: flag('review finish: write nothing; print the difference'),
  force: flag('review finish, grant, revoke: edit also if there are uncommitted changes'),
  allow: planning.allow,
  since: ofPlans.since,
  ledger: ofPlans.ledger,
}
export type AccessOptions = Values<typeof access>

export const licenses = {
  ...ofTarget,
  var: variables(),
  format: format(formatsOf('answer')),
  ...output(),
  ...connection,
}

export const report = {
  format: format(
    formatsOf('several'),
    'the whole; for a service the most serious points beside their lines; or counts for GitLab',
    'markdown',
  ),
  check: flag('on GitHub, attach the verdict to the commit as a check'),
  pageUrl: { ...text('<url>', 'address of the page, for a link in the comment'), parse: webAddress },
  maxKb: parsed('<n>', 'size of the comment, in thousands of bytes (default: 65,000 characters)', positiveInteger),
  to: service("keep one comment on the job's pull request; `auto`: where the job runs"),
  ...output(),
}

export const diff = {
  ...ofTarget,
  live: flag('compare what the installations of two targets are like'),
  format: format(['text', 'json', 'markdown', 'html']),
  caFile: connection.caFile,
  ...output(),
}

const { color } = output()

export const ofReview = {
  access: command({
    does: 'show who can do what, through groups in groups; review and change it',
    args: {
      what: required(
        'one account, one object, everything; accept undeclared access; a review; or a change of who can do what',
        questions,
      ),
      subject: optional(
        'explain, grant, revoke: a svcId; of: an address or a glob; review: start, status, finish or verify',
      ),
      address: optional(
        'explain: only on these objects; review: which one (default: the last); grant, revoke: a level',
      ),
      object: optional('grant, revoke: the address of one object'),
    },
    options: access,
    exits: {
      differences: 'review status: late, or one is due',
      partial: 'review finish: somebody has to take access away by hand',
      refused: 'accept: somebody would stay Administrator: see --allow',
      interrupted: true,
    },
    examples: [
      ['svcsync access explain anna@example.com', 'what she can do, and why'],
      ['svcsync access explain anna@example.com application/main/Purchasing'],
      ['svcsync access of application/main/Purchasing', 'who can do what'],
      ['svcsync access of "**/Invoice approval" --level Administrator'],
      ['svcsync access list --format csv', 'for a review'],
      ['svcsync access list --format html > access.html', 'a page to search in'],
      ['svcsync access grant anna@example.com ReadOnly application/main/Purchasing'],
    ],
    load:
      async () =>
      async (options, console, { what, subject, address, object }) => {
        const words = [subject, address, object]
        if (what === 'grant' || what === 'revoke')
          return (await import('./review/access-change.ts')).changeAccessCommand(what, words, options, console)
        if (object !== undefined) throw (await import('./review/access.ts')).accessMisuse(what, '')
        if (what === 'review') return (await import('./review/access-review.ts')).reviewCommand(words, options, console)
        if (what === 'accept')
          return (await import('./review/access-accept.ts')).acceptCommand(subject, options, console)
        return (await import('./review/access.ts')).accessCommand(what, words, options, console)
      },
  }),
  licenses: command({
    does: 'compare access with licences, and count free ones',
    options: licenses,
    exits: { interrupted: true },
    examples: [['svcsync licenses'], ['svcsync licenses --format csv > licenses.csv', 'for a review']],
    load: async () => (await import('./review/licenses.ts')).licensesCommand,
  }),
  diff: command({
    does: 'compare what two targets, commits or folders declare, or what two installations are like',
    args: { first: required('a target, a commit or a folder'), second: required('another one of the same sort') },
    options: diff,
    exits: { differences: true, interrupted: true },
    examples: [
      ['svcsync diff test prod', 'two targets'],
      ['svcsync diff test prod --live', 'their installations'],
      ['svcsync diff HEAD~1 HEAD --target prod', 'two commits'],
    ],
    load: async () => (await import('./review/diff.ts')).diffCommand,
  }),
  report: command({
    does: 'combine results into one comment or page',
    args: { files: many('output of `plan`, `drift` and `apply` with `--format json`; none with `--to`: no result') },
    options: report,
    examples: [
      ['svcsync report test.json prod.json > comment.md'],
      ['svcsync report *.json --format html > page.html'],
    ],
    load: async () => (await import('./review/report.ts')).reportCommand,
  }),
}

export const ofItself = {
  explain: command({
    does: 'explain the code of a problem, and what to do',
    args: { code: optional('as printed beside the problem (default: list all)') },
    options: { color },
    examples: [['svcsync explain SVC1301'], ['svcsync explain', 'all codes']],
    load: async () => (await import('./review/explain.ts')).explainCommand,
  }),
  completion: command({
    does: 'print the script that completes commands in a shell',
    args: {
      shell: required('which shell', ['bash', 'zsh', 'fish', 'powershell'] as const),
      words: many('the words typed so far, behind `--`: prints what can follow'),
    },
    options: { color },
    examples: [['svcsync completion bash', 'for `eval` in ~/.bashrc']],
    load: async () => (await import('./review/completion.ts')).completionCommand,
  }),
}

/** `90d`. */
function days(text: string): number {
  const [, count] = /^([1-9]\d{0,3})d$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('Write a number of days, e.g. 90d.')
  return Number(count)
}

/** As it is written into a link: nothing in it ends one, and there is no password in it. */
function webAddress(text: string): string {
  const url = parseUrl(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:')
    return `${url.origin}${url.pathname}${url.search}${url.hash}`
  throw new InvalidArgumentError('Write an address that begins with https://.')
}
