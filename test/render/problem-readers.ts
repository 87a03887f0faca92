// Readers of what the formats write, made after the services' own: what they take a line or a document for.

export interface Command {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

/** As the runner of GitHub reads a line: properties between the first two `::`, separated by commas. */
export function readGithubCommand(line: string): Command | undefined {
  const match = /^::([\w-]+)(?: (.*?))?::(.*)$/su.exec(line)
  if (match === null) return undefined
  const decode = (text: string): string => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n')
  const property = (text: string): string => decode(text).replaceAll('%3A', ':').replaceAll('%2C', ',')
  return {
    name: match[1] as string,
    properties: readPairs(match[2] ?? '', ',', (text) => property(text).replaceAll('%25', '%')),
    data: decode(match[3] as string).replaceAll('%25', '%'),
  }
}

/** As the agent of Azure reads a line: from the first `##vso[`, wherever it stands, to the first `]` after it. */
export function readAzureCommand(line: string): Command | undefined {
  const match = /##vso\[([\w.]+)(?: ([^\]]*))?\](.*)$/su.exec(line)
  if (match === null) return undefined
  const decode = (text: string): string =>
    text
      .replaceAll('%3B', ';')
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%5D', ']')
      .replaceAll('%AZP25', '%')
  return {
    name: match[1] as string,
    properties: readPairs(match[2] ?? '', ';', decode),
    data: decode(match[3] as string),
  }
}

function readPairs(text: string, separator: string, decode: (text: string) => string): Record<string, string> {
  const pairs = text.split(separator).filter((pair) => pair.includes('='))
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), decode(pair.slice(pair.indexOf('=') + 1))]),
  )
}

export interface XmlNode {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlNode[]
  text: string
}

/**
 * Throws on anything that is not well-formed, of the part of XML that a report needs: no comments, no CDATA, no DTD.
 */
export function readXml(xml: string): XmlNode {
  const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(xml)
  if (illegal !== null) throw new SyntaxError(`illegal character at ${illegal.index}`)
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>'
  if (!xml.startsWith(declaration)) throw new SyntaxError('no declaration')
  const top: XmlNode = { name: '', attributes: {}, children: [], text: '' }
  const open: XmlNode[] = [top]
  let at = declaration.length
  for (const token of xml.slice(at).matchAll(/<\/(\w+)>|<(\w+)((?: \w+="[^"<]*")*)(\/?)>|([^<]+)/gu)) {
    if (token.index !== at - declaration.length) throw new SyntaxError(`not well-formed at ${at}`)
    at += token[0].length
    const [, end, start, attributes, isEmpty, text] = token
    const parent = open.at(-1)!
    if (text !== undefined) parent.text += readEntities(text)
    else if (end !== undefined) {
      if (open.pop()!.name !== end) throw new SyntaxError(`</${end}> closes nothing`)
    } else {
      const node: XmlNode = { name: start!, attributes: readAttributes(attributes!), children: [], text: '' }
      parent.children.push(node)
      if (isEmpty === '') open.push(node)
    }
  }
  if (at !== xml.length || open.length !== 1 || top.children.length !== 1 || top.text.trim() !== '') {
    throw new SyntaxError('not one element from beginning to end')
  }
  return top.children[0]!
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, readEntities(value!)] as const)
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new SyntaxError('an attribute stands twice')
  return Object.fromEntries(pairs)
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#35': '#',
  '#58': ':',
}

function readEntities(text: string): string {
  return text.replace(/&([^;&]*);|&/g, (_, name: string | undefined) => {
    const char = name === undefined ? undefined : entities[name]
    if (char === undefined) throw new SyntaxError(`unknown entity &${name};`)
    return char
  })
}
