// Problems as SARIF 2.1.0, for code scanning and the viewers of editors.
import { problemCodes } from '@svcsync/core/model/problem-codes.ts'
import { compareProblems, type Place, type Problem } from '@svcsync/errors/index.ts'
import { neutralise, safeJson } from '../text/neutralise.ts'
import { fingerprintProblems, problemPlace } from './problem-places.ts'
import { capitalise, problemSentences, sentence } from './problem-sentences.ts'

export function renderProblemsSarif(
  problems: readonly Problem[],
  { version, projectFile }: Readonly<Record<'version' | 'projectFile', string>>,
): string {
  const sorted = [...problems].sort(compareProblems)
  const codes = [...new Set(sorted.map(({ code }) => code))].sort()
  const fingerprints = fingerprintProblems(sorted, projectFile)
  const results = sorted.map((problem, index) => ({
    ruleId: problem.code,
    ruleIndex: codes.indexOf(problem.code),
    level: problem.severity,
    // The places of `related` have an entry of their own.
    message: plainText(problemSentences({ ...problem, related: undefined }).join(' ')),
    locations: [{ physicalLocation: physical(problemPlace(problem, projectFile)), ...logical(problem) }],
    ...(problem.related?.length && {
      relatedLocations: problem.related.map(({ message, place }, id) => {
        return { id, message: plainText(message), physicalLocation: physical(place) }
      }),
    }),
    ...(problem.targets !== undefined && { properties: { targets: problem.targets } }),
    partialFingerprints: { 'svcsync/v1': fingerprints[index] },
  }))
  return safeJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      { tool: { driver: { name: 'svcsync', version, rules: codes.map(rule) } }, columnKind: 'utf16CodeUnits', results },
    ],
  })
}

function rule(code: string): object {
  const meaning = Object.hasOwn(problemCodes, code) ? problemCodes[code as keyof typeof problemCodes] : undefined
  if (meaning === undefined) return { id: code }
  return { id: code, shortDescription: plainText(sentence(capitalise(meaning))) }
}

function physical({ file, line, column }: Place): object {
  return { artifactLocation: { uri: sarifUri(file) }, region: { startLine: line, startColumn: column } }
}

const logical = ({ address }: Problem): object =>
  address === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: address }] }

/** Viewers turn `[text](target)` into a link even in plain text. Text from a manifest must not become one. */
const plainText = (text: string): object => ({ text: neutralise(text).replaceAll('](', '] (') })

/** Relative paths stay relative; absolute ones become `file:` URIs. */
export function sarifUri(path: string): string {
  const drive = /^[A-Za-z]:(?=\/)/.exec(path)?.[0] ?? ''
  const encoded = drive + path.slice(drive.length).split('/').map(encodeSegment).join('/')
  if (drive !== '') return `file:///${encoded}`
  return path.startsWith('/') ? `file://${encoded}` : encoded
}

function encodeSegment(segment: string): string {
  // A lone surrogate has no UTF-8, and `encodeURIComponent` throws on it.
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd'))
}
