// Makes dist/types stand by itself: what is bundled is installed nowhere, so no declaration may ask for its types.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve('dist/types')
// Published types name no workspace: what lies beside them is reached by its path.
for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue
  const toRoot = relative(dirname(name), '.') || '.'
  const text = readFileSync(join(root, name), 'utf8')
  writeFileSync(
    join(root, name),
    text.replace(
      /((?:from |import\()['"])@svcsync\/([^'"]+)\.ts(['"])/g,
      (_, before, path, after) => `${before}${toRoot.startsWith('.') ? toRoot : `./${toRoot}`}/${path}.js${after}`,
    ),
  )
}
const reached = reachedFrom(join(root, 'index.d.ts'))
for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
  const file = join(root, name)
  if (!name.endsWith('.d.ts')) continue
  // The command's own declarations are nobody's business, and those of the emulator's server want its packages.
  if (!reached.has(file)) rmSync(file)
  else writeFileSync(file, closed(readFileSync(file, 'utf8'), name))
}
writeFileSync(join(root, 'index.d.cts'), await typesForRequire())

/** Compilers before TypeScript 5.8 let no CommonJS module ask for an ES module, unless its mode is named. */
async function typesForRequire(): Promise<string> {
  const library = (await import(pathToFileURL(resolve('dist/index.js')).href)) as Readonly<Record<string, unknown>>
  const module = "import('./index.js', { with: { 'resolution-mode': 'import' } })"
  const lines = Object.entries(library).flatMap(([name, value]) => [
    `export declare const ${name}: typeof library.${name};`,
    // A class is a type as well.
    ...(/^class\b/.test(String(value)) ? [`export type ${name} = ${module}.${name};`] : []),
  ])
  const types = "export type * from './index.js' with { 'resolution-mode': 'import' };"
  return [types, `declare const library: typeof ${module};`, ...lines, ''].join('\n')
}

function reachedFrom(entry: string): ReadonlySet<string> {
  const found = new Set([entry])
  for (const file of found) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)\.(?:ts|js)['"]/g,
    )) {
      found.add(resolve(file, '..', `${path}.d.ts`))
    }
  }
  return found
}

/** Throws for a form that it does not know: the build had better fail than the build of whoever uses the package. */
function closed(text: string, name: string): string {
  return text.replace(/^(import|export)\b([^;]*?)from ['"]([^.'"][^'"]*)['"];$/gm, (line, word, names, from) => {
    if (from.startsWith('node:')) return line
    const list = /^\s*(?:type\s*)?\{([^}]*)\}\s*$/.exec(names)?.[1]
    if (word === 'export' || list === undefined) throw new TypeError(`${name} asks for ${from}: ${line}`)
    const locals = list
      .split(',')
      .map((one) => one.replace(/^\s*type\s/, '').trim())
      .filter((one) => one !== '')
    return locals.map((one) => `type ${/ as (\w+)$/.exec(one)?.[1] ?? one} = unknown;`).join('\n')
  })
}
