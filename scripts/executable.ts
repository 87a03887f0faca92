// Builds one file that needs no Node beside it: node itself, with the command inside
// (https://nodejs.org/api/single-executable-applications.html). Its system is that of the node that runs this. `npm run
// executable` gives release/svcsync-SYSTEM-ARCHITECTURE and its digest.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { options } from './build/options.ts'

const isWindows = process.platform === 'win32'
const isMac = process.platform === 'darwin'
const file = join('release', `svcsync-${process.platform}-${process.arch}${isWindows ? '.exe' : ''}`)
const apart = mkdtempSync(join(tmpdir(), 'svcsync-executable-'))
try {
  const main = join(apart, 'svcsync.cjs')
  const { outputFiles } = await build({
    ...options,
    entryPoints: { svcsync: 'src/cli/main.ts' },
    outdir: apart,
    format: 'cjs',
    // An executable cannot import its parts later.
    supported: { 'dynamic-import': false },
    splitting: false,
    legalComments: 'inline',
    write: false,
  })
  writeFileSync(main, outputFiles[0]?.contents ?? '')
  const blob = join(apart, 'blob')
  // This node makes the code cache, so it fits, and shortens the start.
  const config = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true }
  writeFileSync(join(apart, 'sea.json'), JSON.stringify(config))
  execFileSync(process.execPath, ['--experimental-sea-config', join(apart, 'sea.json')], { stdio: 'pipe' })

  mkdirSync('release', { recursive: true })
  rmSync(file, { force: true })
  copyFileSync(process.execPath, file)
  chmodSync(file, 0o755)
  if (isMac) execFileSync('codesign', ['--remove-signature', file])
  // The name is what node looks for in itself.
  const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2']
  const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : []
  const postject = ['node_modules/postject/dist/cli.js', file, 'NODE_SEA_BLOB', blob, ...fuse, ...segment]
  execFileSync(process.execPath, postject, { stdio: 'pipe' })
  // macOS starts nothing on Apple's own processors that is not signed, by whomever.
  if (isMac) execFileSync('codesign', ['--sign', '-', file])
} finally {
  rmSync(apart, { recursive: true })
}
const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
writeFileSync(`${file}.sha256`, `${digest}  ${basename(file)}\n`)
console.log(`${file}, sha256 ${digest}`)
