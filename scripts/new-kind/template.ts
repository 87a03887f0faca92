// The files of a new kind: they type-check as they are, and every TODO in them is a question to answer.

export interface KindNames {
  /** `cost-centre`: the folder, and the first word of its addresses. */
  readonly folder: string
  /** `costCentre`: the constant that the registry imports. */
  readonly constant: string
  /** `Cost centres`: for people. */
  readonly title: string
  /** `costCentres`: the key in manifests. */
  readonly section: string
}

/** Undefined: the name is not one that a kind can have. */
export function namesOf(folder: string): KindNames | undefined {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(folder)) return undefined
  const constant = folder.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const words = plural(folder.replaceAll('-', ' '))
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return { folder, constant, title, section: plural(constant) }
}

function plural(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** Every file of a kind, by its path in the project. All are new, and nobody edits another file by hand. */
export function filesOf(names: KindNames): Readonly<Record<string, string>> {
  const { folder, title, section } = names
  const scenario = `test/scenarios/${folder}`
  const name = sampleName(names)
  return {
    [`src/kinds/${folder}/index.ts`]: indexSource(names),
    [`test/contract/samples/${folder}.yaml`]: samplesSource(names),
    [`src/kinds/${folder}/example.yaml`]: `# yaml-language-server: $schema=../../../schemas/manifest.schema.json
# ${title}. TODO: what somebody who declares the first one has to know.
database: main

${section}:
  - name: ${name}
    description: Sample
`,
    [`${scenario}/scenario.yaml`]: `about: 'TODO: what is peculiar about ${title.toLowerCase()}'\n`,
    [`${scenario}/tenant.yaml`]: '# TODO: what is there before.\ndatabases:\n  - id: 1\n',
    [`${scenario}/manifests/main.yaml`]: `database: main\n${section}:\n  - name: ${name}\n`,
  }
}

function sampleName({ folder }: KindNames): string {
  return `Sample ${folder.replaceAll('-', ' ')}`
}

/** Source of `index.ts`. */
function indexSource({ folder, constant, title, section }: KindNames): string {
  return `// TODO: one sentence about what it is on the platform.
import { defineKind } from '@svcsync/core/model/kind.ts'
import type { ObjectSchema } from '@svcsync/core/model/schema.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { readFields, readNamed, readWhole } from '../parts/read-fields.ts'
import { adminScopes } from '../parts/scopes.ts'

// The only declaration of its shape. TODO: its fields, with the marks that are explained in core/model/schema.ts. A
// field that is \`nullable\` can be cleared by the platform; one that it never returns is \`writeOnly\`, or \`secret\`.
const schema = {
  type: 'object',
  description: 'TODO: what it is.',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, identity: true, description: 'The name.', examples: ['Sample'] },
    description: { type: 'string', nullable: true, description: 'What it is for.' },
  },
} as const satisfies ObjectSchema

const fields = ['description'] as const

// TODO: where it lives. Put every variable part but dbId through \`segment\`.
const base = (at: { readonly dbId?: number }) => \`/db/\${at.dbId}/admin/${section.toLowerCase()}\`

export const ${constant} = defineKind({
  name: '${folder}',
  title: '${title}',
  description: 'TODO: what it is, in one sentence, for the docs.',
  // TODO: \`installation\`, \`database\`, or \`parent\`, which wants the key \`parent\` as well.
  scope: 'database',
  // TODO: where its section stands among the others in files; see \`order\` of the kinds beside it.
  order: 45,
  sections: [{ key: '${section}', schema }],
  // TODO: \`full\` where the platform can delete it, and then \`absent\` in the schema and \`remove\` below; \`found\`
  // where it exists already, and then a \`lookup\`, or a list and a read. The types want the requests that go with it.
  lifecycle: 'kept',
  // TODO: what is not usual: \`comparesBy: 'svcId'\` for accounts, \`synchronises: true\` where others may refer to it
  // only when the platform has synchronised it, \`collections\` for lists that are compared element by element
  // (kinds/parts, kinds/license). TODO: the scopes that the reference names, least first.
  scopes: adminScopes('${section.charAt(0).toUpperCase()}${section.slice(1)}'),
  // TODO: one request each. An update sends the fields that differ; where the platform replaces more, \`updateSpec\`
  // adds it.
  requests: {
    create: (at, spec) => ({ method: 'POST', path: base(at), body: { name: at.name, ...spec } }),
    update: (at, spec) => ({ method: 'PATCH', path: \`\${base(at)}/\${segment(at.self)}\`, body: spec }),
    read: (at) => ({ method: 'GET', path: \`\${base(at)}/\${segment(at.self)}\` }),
    list: (at) => ({ path: base(at), key: '${section}', paged: false }),
  },
  // An answer without one of these keys, or with a word that the schema does not know, is misread: nothing is made of
  // half of one.
  parse: (answer) => readWhole(answer, readNamed(answer), (object) => readFields(object, schema.properties, fields)),
  // TODO: leave it out where the list gives whole objects: then \`parse\` reads its items, too.
  parseItem: readNamed,
})
`
}

/** Samples of the kind. */
function samplesSource(names: KindNames): string {
  const name = sampleName(names)
  return `# Samples of ${names.title.toLowerCase()}, which the contract test takes through their life on the emulator.
minimal:
  name: ${name}
# TODO: every field.
full:
  name: ${name}
  description: Sample
# TODO: as \`full\`, with every field changed that can change.
changed:
  name: ${name}
  description: null
# TODO: what must be refused.
invalid:
  - {}
  - name: ""
  - name: A
    descripton: a key that nobody knows
`
}
