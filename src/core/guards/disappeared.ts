// Guard `disappeared`: prune deletes nothing while a whole kind or folder is missing: a checkout may have failed.
import { defineGuard, type Finding, isNotTold } from './guard.ts'

export const disappearedGuard = defineGuard({
  name: 'disappeared',
  counts: false,
  truth: 'Manifests declare objects of every kind that is pruned, and no folder of theirs is empty.',
  on: 'removals',
  needs: ['missing'],
  find({ missing }) {
    // A saved plan was judged by this guard when it was made.
    if (isNotTold(missing)) return []
    const { kinds, folders } = missing
    return [
      ...[...kinds].map(([kind, count]): Finding => {
        const what = `No manifest declares a ${kind}, but prune would delete ${count}`
        return {
          sentence: `${what}. Check that the checkout is complete.`,
          numbers: { declared: 0, count },
          addresses: [],
          allow: kind,
        }
      }),
      ...folders.map((folder): Finding => {
        const sentence = `\`${folder}\` holds no manifest, and prune deletes undeclared objects.`
        return { sentence, numbers: {}, addresses: [], allow: folder }
      }),
    ]
  },
})
