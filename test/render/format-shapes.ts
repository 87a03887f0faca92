// The services' rules for the formats, as schemas of our own: closed, so that unknown fields fail.
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { XmlNode } from './problem-readers.ts'

const ajv = new Ajv({ strict: true, allErrors: true })
addFormats.default(ajv)

type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string' }
const filled: Schema = { type: 'string', minLength: 1 }
const closed = (properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
})
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })

const message = closed({ text }, ['text'])
const physicalLocation = closed(
  {
    artifactLocation: closed({ uri: { type: 'string', format: 'uri-reference' } }, ['uri']),
    region: closed({ startLine: { type: 'integer', minimum: 1 }, startColumn: { type: 'integer', minimum: 1 } }, [
      'startLine',
    ]),
  },
  ['artifactLocation'],
)
const logicalLocation = closed({ fullyQualifiedName: text }, [])
const result = closed(
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: -1 },
    level: { enum: ['none', 'note', 'warning', 'error'] },
    message,
    locations: list(closed({ physicalLocation, logicalLocations: list(logicalLocation) }, []), { minItems: 1 }),
    relatedLocations: list(closed({ id: { type: 'integer', minimum: -1 }, message, physicalLocation }, []), {
      uniqueItems: true,
    }),
    partialFingerprints: { type: 'object', additionalProperties: text },
  },
  // Code scanning wants more than the standard: a rule, a place and a fingerprint.
  ['ruleId', 'message', 'locations', 'partialFingerprints'],
)
const rule = closed({ id: text, shortDescription: message }, ['id'])
const driver = closed({ name: filled, version: filled, rules: list(rule, { uniqueItems: true }) }, ['name'])

/** SARIF 2.1.0, the OASIS standard: of it, what is written. */
export const isSarif: ValidateFunction = ajv.compile(
  closed(
    {
      $schema: { type: 'string', format: 'uri' },
      version: { const: '2.1.0' },
      runs: list(
        closed(
          {
            tool: closed({ driver }, ['driver']),
            columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
            results: list(result),
          },
          ['tool', 'results'],
        ),
        { minItems: 1, maxItems: 20 },
      ),
    },
    ['version', 'runs'],
  ),
)

/** GitLab Code Quality. A schema cannot check that fingerprints differ. */
export const isCodeQuality: ValidateFunction = ajv.compile(
  list(
    closed(
      {
        description: filled,
        check_name: text,
        fingerprint: filled,
        severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
        location: closed({ path: text, lines: closed({ begin: { type: 'integer', minimum: 1 } }, ['begin']) }, [
          'path',
          'lines',
        ]),
      },
      ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    ),
  ),
)

interface ElementRule {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly children: readonly string[]
}

const totals = ['tests', 'failures', 'errors']
/** The common part of the JUnit reports that services read. Some read `file` and `line`, others ignore them. */
const junit: Readonly<Record<string, ElementRule>> = {
  testsuites: { required: [], optional: ['name', 'time', 'skipped', ...totals], children: ['testsuite'] },
  testsuite: { required: ['name', ...totals], optional: ['time', 'skipped', 'file'], children: ['testcase'] },
  testcase: {
    required: ['name', 'classname'],
    optional: ['time', 'file', 'line'],
    children: ['failure', 'error', 'skipped'],
  },
  failure: { required: ['message'], optional: ['type'], children: [] },
  skipped: { required: [], optional: ['message', 'type'], children: [] },
}

/** The faults of a report; its counts are compared with its content. */
export function faultsOfJunit(node: XmlNode): string[] {
  const rule = junit[node.name]
  if (rule === undefined) return [`${node.name} is no element`]
  const names = Object.keys(node.attributes)
  const cases = (each: XmlNode): readonly XmlNode[] =>
    each.name === 'testcase' ? [each] : each.children.flatMap(cases)
  const having = (name: string) => cases(node).filter(({ children }) => children.some((child) => child.name === name))
  const counts = {
    tests: cases(node),
    failures: having('failure'),
    errors: having('error'),
    skipped: having('skipped'),
  }
  return [
    ...rule.required.filter((name) => !names.includes(name)).map((name) => `${node.name} lacks ${name}`),
    ...names
      .filter((name) => ![...rule.required, ...rule.optional].includes(name))
      .map((name) => `${node.name} has ${name}`),
    ...Object.entries(counts)
      .filter(([name, found]) => name in node.attributes && node.attributes[name] !== String(found.length))
      .map(([name]) => `${node.name} miscounts ${name}`),
    ...node.children.flatMap((child) =>
      rule.children.includes(child.name) ? faultsOfJunit(child) : [`${child.name} in ${node.name}`],
    ),
  ]
}
