// Tags a commit that holds dist, behind the one that is checked out: what `uses: OWNER/svcsync@TAG` takes. No branch
// moves, and nothing is pushed. `npm run tag` builds before.
import { readFileSync } from 'node:fs'
import { tagWithDist } from './tag/tag-with-dist.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const tag = `v${version}`
console.log(`${tag} is ${tagWithDist('.', tag, process.env)}. To publish it: git push REMOTE ${tag}`)
