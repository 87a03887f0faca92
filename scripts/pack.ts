// Packs what a release publishes: `npm run pack -- FOLDER`, after `npm run build`. It needs the variables of a release
// job. For your own use, `npm pack` is enough.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { originOf, publishedManifest, withAbsoluteLinks } from './pack/published-parts.ts'

const [folder = 'release'] = process.argv.slice(2)
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const origin = originOf(manifest.version, process.env)

const npmPack = (dir: string, ...args: string[]): unknown => {
  const npm = ['pack', '--json', '--ignore-scripts', '--offline', ...args]
  return JSON.parse(execFileSync('npm', npm, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }))
}

const apart = mkdtempSync(join(tmpdir(), 'svcsync-pack-'))
try {
  const [{ files }] = npmPack('.', '--dry-run') as [{ readonly files: readonly { readonly path: string }[] }]
  const packed = new Set(files.map(({ path }) => path))
  for (const path of packed) {
    if (!path.endsWith('.md')) cpSync(path, join(apart, path))
    else {
      mkdirSync(dirname(join(apart, path)), { recursive: true })
      writeFileSync(join(apart, path), withAbsoluteLinks(readFileSync(path, 'utf8'), path, packed, origin))
    }
  }
  writeFileSync(join(apart, 'package.json'), `${JSON.stringify(publishedManifest(manifest, origin), null, 2)}\n`)
  mkdirSync(folder, { recursive: true })
  const [{ filename }] = npmPack(apart, '--pack-destination', resolve(folder)) as [{ readonly filename: string }]
  console.log(`${join(folder, filename)} names ${origin.repository} and ${origin.tag}`)
} finally {
  rmSync(apart, { recursive: true })
}
