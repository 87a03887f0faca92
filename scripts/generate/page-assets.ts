// Assets of pages, built from `src/render/html/assets`: each style and script in one minified piece.
import { build } from 'esbuild'

const assets = 'src/render/html/assets'

/** Source of `src/render/html/generated/assets.ts`. */
export async function pageAssetsSource(): Promise<string> {
  const [pageStyle, accessStyle, pageScript, accessScript] = await Promise.all(
    ['page.css', 'access.css', 'page.js', 'access.js'].map(bundled),
  )
  const source = Object.entries({ pageStyle, accessStyle, pageScript, accessScript }).map(
    ([name, text]) => `export const ${name} = ${JSON.stringify(text)}\n`,
  )
  return `// Generated from ${assets} by \`npm run generate\`: do not edit.\n\n${source.join('\n')}`
}

async function bundled(file: string): Promise<string> {
  const options = {
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    format: 'iife',
    target: 'es2022',
    tsconfigRaw: '{}',
  } as const
  const { outputFiles } = await build({ ...options, entryPoints: [`${assets}/${file}`] })
  const [{ text } = { text: '' }] = outputFiles
  return text.trim()
}
