// The registry of kinds, from the folders that there are.
import { existsSync, readdirSync } from 'node:fs'

/** Source of `src/kinds/index.ts`: every folder with an `index.ts` is a kind. */
export function registrySource(root: string): string {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(`${root}/${entry.name}/index.ts`))
    .map((entry) => entry.name)
    .sort()
  const nameOf = (folder: string) => folder.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const imports = folders.map((folder) => `import { ${nameOf(folder)} } from './${folder}/index.ts'`)
  return `// Generated from the folders beside this file by \`npm run generate\`: do not edit.
import type { Kind } from '@svcsync/core/model/kind.ts'
${imports.join('\n')}

/** Every kind that svcsync manages. */
export const kinds: readonly Kind[] = [
${folders.map((folder) => `  ${nameOf(folder)},`).join('\n')}
]
`
}
