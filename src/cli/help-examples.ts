// What stands below the options in the help of each command: lines to copy.

/** A line to copy, and what it is for where that does not show. */
type Example = readonly [line: string, what?: string]

const examples: Readonly<Record<string, readonly Example[]>> = {
  plan: [
    ['svcsync plan --target prod'],
    ["svcsync plan --only 'group/*' --verbose", 'only groups, with values in full'],
    ['svcsync plan --out plan.json', 'for `svcsync apply plan.json`'],
  ],
  apply: [
    ['svcsync apply', 'plan, ask, apply'],
    ['svcsync apply --expect 08c8dd4c69b25d20', 'the plan that was reviewed'],
    ['svcsync apply plan.json', 'a saved plan'],
    ['svcsync apply --yes --journal apply.jsonl', 'to go on with after a kill'],
    ['svcsync apply --resume apply.jsonl'],
  ],
  undo: [
    ['svcsync undo apply.jsonl', 'plan, ask, apply'],
    ['svcsync undo apply.jsonl --out undo.json', 'for `svcsync apply undo.json`'],
    ['svcsync undo apply.jsonl --journal undo.jsonl', 'to undo that as well'],
  ],
  show: [['svcsync show plan.json'], ['svcsync show plan.json --format markdown']],
  drift: [['svcsync drift'], ["svcsync drift --only 'process/**' --format markdown"]],
  validate: [
    ['svcsync validate', 'all targets'],
    ['svcsync validate --watch', 'again after each change'],
    ['svcsync validate --strict --format github', 'beside lines of a pull request'],
  ],
  policies: [['svcsync policies test', 'what `validate` runs as well, with what is reached']],
  status: [['svcsync status', 'all targets'], ['svcsync status --target prod --format json']],
  doctor: [['svcsync doctor'], ['svcsync doctor --target prod --for plan', 'of an application that only reads']],
  'wire-names': [
    ['svcsync wire-names https://svc.example.com/swagger.json'],
    ['svcsync wire-names openapi.yaml --target prod --write', 'into the project file'],
    ['svcsync wire-names --name CrmSuiteB=Dynamo --write', 'one that you know'],
  ],
  export: [
    ['svcsync export live', 'into the folder `live`'],
    ["svcsync export --only 'process/main/Purchasing/**'", 'a part, to stdout'],
    ['svcsync export --missing manifests', 'what is not declared'],
  ],
  init: [
    ['svcsync init our-platform', 'an example, in a new folder'],
    ['svcsync init --from-live --base-url https://svc.example.com'],
  ],
  fmt: [
    ['svcsync fmt', 'what the project has'],
    ['svcsync fmt --check', 'for a pipeline'],
    ['svcsync fmt --diff manifests/groups.yaml'],
  ],
  access: [
    ['svcsync access explain anna@example.com', 'what she can do, and why'],
    ['svcsync access explain anna@example.com application/main/Purchasing'],
    ['svcsync access of application/main/Purchasing', 'who can do what'],
    ['svcsync access list --format csv', 'for a review'],
  ],
  report: [['svcsync report test.json prod.json > comment.md'], ['svcsync report *.json --format html > page.html']],
  api: [
    ['svcsync api GET /admin/users --paginate'],
    ['svcsync api --list attachments', 'endpoints, with their scopes'],
    ['svcsync api PATCH /admin/user --query svcId=ada --field jobTitle=CTO --dry-run'],
  ],
  import: [
    ['svcsync import a.pkg --config import.yaml --check', 'nothing is sent'],
    ['svcsync import a.pkg --config import.yaml --then plan', 'see what it changed'],
  ],
  locate: [['svcsync locate https://svc.example.com/db/1/app/12']],
  explain: [['svcsync explain SVC1301'], ['svcsync explain', 'all codes']],
  completion: [['svcsync completion bash', 'for `eval` in ~/.bashrc']],
  emulator: [['svcsync emulator --tenant tenant.yaml --port 4010']],
}

/** The lines alone. */
export function exampleLinesOf(command: string): readonly string[] {
  return examples[command]?.map(([line]) => line) ?? []
}

/** As they stand in the help, below an empty line. Empty for a command that has none. */
export function helpExamples(command: string): string {
  const found = examples[command] ?? []
  if (found.length === 0) return ''
  const width = Math.max(...found.map(([line, what]) => (what === undefined ? 0 : line.length)))
  const lines = found.map(([line, what]) => `  ${what === undefined ? line : `${line.padEnd(width)}  # ${what}`}`)
  return ['', 'Examples:', ...lines].join('\n')
}

const exits = [
  '0 done, nothing (more) to do',
  '1 an error: nothing is promised',
  '2 there are differences (drift; plan with --detailed-exitcode)',
  '3 applied in part',
  '4 refused before the first write',
  '5 all steps done, and the platform still differs',
  '130 interrupted',
]
/** Those that a command ends with beside 0 and 1. */
const exitsOf: Readonly<Record<string, readonly string[]>> = {
  plan: ['2'],
  drift: ['2'],
  apply: ['3', '4', '5', '130'],
  undo: ['3', '4', '5', '130'],
  init: ['130'],
  export: ['130'],
}

/** The last lines of every help: exit codes, and where more is written. */
export function helpEnding(command?: string): string {
  const also = command === undefined ? undefined : ['0', '1', ...(exitsOf[command] ?? [])]
  const lines = exits.filter((line) => also === undefined || also.includes(line.split(' ')[0] as string))
  const page = command === undefined ? 'docs/commands.md' : `docs/commands/${command}.md`
  return [
    '',
    'Exit codes:',
    ...lines.map((line) => `  ${line.replace(' ', '  ')}`),
    '',
    `Documentation: README.md and ${page} of the package; svcsync explain CODE says what a code means.`,
  ].join('\n')
}
