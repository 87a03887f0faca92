// Guard `disappeared`: prune deletes nothing while a whole kind, or all that a folder held, is missing from the manifests: that
// looks like a checkout that failed.
import type { Finding, Guard } from './guard.ts'

export const nothingDisappearsWhole: Guard = {
  name: 'disappeared',
  counts: false,
  truth: 'Manifests declare objects of every kind that is pruned, and no folder of theirs is empty.',
  find({ undeclaredKinds, emptyFolders }) {
    return [
      ...[...undeclaredKinds].map(([kind, count]): Finding => {
        const what = `No manifest declares a ${kind}, and prune would delete ${count}`
        return {
          sentence: `${what}. Manifests that are missing, by a checkout that failed, look the same.`,
          numbers: { declared: 0, count },
          addresses: [],
          allow: kind,
        }
      }),
      ...emptyFolders.map((folder): Finding => {
        const sentence = `\`${folder}\` holds no manifest, and prune deletes what no manifest declares.`
        return { sentence, numbers: {}, addresses: [], allow: folder }
      }),
    ]
  },
}
