// The only declaration of the project file: validation and the editors' schema follow from it.
import type { Kind } from '@svcsync/core/model/kind.ts'
import { filledText, type ObjectSchema, type Schema, type StringSchema } from '@svcsync/core/model/schema.ts'
import { setsSchema } from '@svcsync/manifests/sets-schema.ts'
import { targetKeys } from './project-reader.ts'
import { oneOf, target, texts } from './target-schema.ts'

const duration = (description: string, example: string): StringSchema => ({
  type: 'string',
  format: 'duration',
  description: `${description} A number with \`ms\`, \`s\`, \`m\` or \`h\`.`,
  examples: [example],
})

const atLeastOne = (description: string, example: number) =>
  ({ type: 'integer', minimum: 1, description, examples: [example] }) satisfies Schema

const limits = (what: string, max: number, percent: number): ObjectSchema => ({
  type: 'object',
  description: `Limits on ${what} in one run. svcsync refuses more before any write, unless \`--allow\` permits them.`,
  examples: [{ max, percent }],
  properties: {
    max: { type: 'integer', minimum: 0, description: `Largest number of a kind. Default: ${max}.`, examples: [max] },
    percent: {
      type: 'integer',
      minimum: 0,
      description: `Largest share in percent of the existing ones, for 5 or more. Default: ${percent}.`,
      examples: [percent],
    },
  },
})

const settings: ObjectSchema = {
  type: 'object',
  description: 'Settings of svcsync itself.',
  properties: {
    concurrency: atLeastOne('Requests in flight at once, reads and writes together. Default: 16.', 16),
    maxAnswerMb: atLeastOne(
      'Largest answer of the platform in MB, unpacked; svcsync does not read larger ones. ' +
        'Default: 64, or less if Node has little memory; at most 512.',
      64,
    ),
    pageSize: atLeastOne('Items of a page of a list. Default: 200.', 200),
    retry: {
      type: 'object',
      description: 'Repetition of requests after temporary failures.',
      properties: {
        attempts: atLeastOne('Number of attempts, including the first. Default: 5.', 5),
        maxDelay: duration('Longest pause between two attempts. Default: `30s`.', '30s'),
      },
    },
    sync: {
      type: 'object',
      description: 'Waiting until the platform has synchronised a write.',
      properties: { timeout: duration('The longest wait. Default: `2m`.', '2m') },
    },
    timeZone: filledText(
      'Time zone of dates in `from` and `until`, by its IANA name. Default: `UTC`.',
      'Europe/Warsaw',
    ),
    readFilesFrom: texts(
      'Folders, or files, that `${file:…}` may read although they are outside the project, hidden, ' +
        'or ignored by git: mounted secrets, for instance. Absolute, or relative to this file. Default: none.',
      ['/run/secrets'],
    ),
    collections: oneOf(
      ['exclusive', 'additive'],
      'Meaning of a listed collection: `exclusive` (the default) removes unlisted entries, `additive` only adds.',
    ),
    privileges: oneOf(
      ['exclusive', 'additive', 'whole'],
      'The same for `privileges`, with a third value, `whole`: ' +
        'unlisted levels are empty, and their holders lose them. Default: as `collections`.',
    ),
    identifiers: oneOf(
      ['warn', 'ignore'],
      "Warnings (the default) about new accounts that the installation's own import of users would refuse: " +
        'an svcId that is not name@domain or holds one of `% & * + / = ? # ; :`, ' +
        'a user without name or email, a group without name.',
    ),
    unreadable: oneOf(
      ['skip', 'refuse'],
      'Behaviour of an apply with unreadable objects: `skip` (the default) leaves them and ' +
        'their dependents alone, applies the rest and exits with 3; `refuse` writes nothing.',
    ),
  },
}

const waves: Schema = {
  type: 'array',
  minItems: 1,
  description:
    'Order of an apply over several targets: a wave begins when the one before it has ended within its budget. ' +
    'Targets without a wave come last.',
  examples: [[{ labels: { ring: 'canary' } }, { labels: { ring: 'early' }, failures: 1 }]],
  items: {
    type: 'object',
    required: ['labels'],
    properties: {
      labels: {
        type: 'map',
        description: 'Labels of its targets: a target must have all of them. It belongs to the first wave that fits.',
        examples: [{ ring: 'canary' }],
        values: { type: 'string', minLength: 1 },
      },
      failures: {
        type: 'integer',
        minimum: 0,
        description: 'Number of its targets that may fail before the next wave begins. Default: 0.',
        examples: [1],
      },
    },
  },
}

const ledger: ObjectSchema = {
  type: 'object',
  required: ['remote'],
  description:
    'Place in git for the commit applied to each target: `apply` moves it, and plans also compare with that commit.',
  examples: [{ remote: 'origin' }],
  properties: {
    remote: filledText(
      'Name of a remote of the repository, as `git remote` lists it; an address is refused.',
      'origin',
    ),
    signed: oneOf(
      ['accept', 'require'],
      'Signatures of entries, leases and journals by people whom your own git settings trust: `accept` ' +
        '(the default) demands none; `require` signs everything svcsync writes, and refuses anything unsigned.',
      'require',
    ),
  },
}

const removed: ObjectSchema = {
  type: 'object',
  description: 'Rules for declarations of the base that the manifests have dropped. They need a base.',
  properties: {
    entries: oneOf(
      ['remove', 'keep'],
      'Members, owners, privileges and licences: svcsync revokes them (the default), or keeps and lists them.',
    ),
    objects: oneOf(
      ['keep', 'delete'],
      'Users, groups and substitutions: svcsync keeps and lists them (default), or deletes them, which needs a ledger.',
    ),
    values: oneOf(
      ['keep', 'inherit'],
      'Environments of constants and connections: ' +
        'svcsync keeps and lists them (the default), or lets them inherit again. It always keeps other values.',
    ),
  },
}

const guards: ObjectSchema = {
  type: 'object',
  description: 'Limits that hold before the first write.',
  properties: {
    deletions: limits('deletions of objects', 10, 20),
    removals: limits('removals of members, owners and privileges', 50, 30),
    administratorGained: oneOf(
      ['show', 'refuse'],
      'A plan that makes somebody Administrator, also through groups: ' +
        '`show` (the default) says so first; `refuse` demands `--allow administrator-gained=…`.',
      'refuse',
    ),
    overwrites: oneOf(
      ['show', 'refuse'],
      'A change on the platform since the base that the plan would revert: ' +
        'the plan shows it (the default), or refuses until you allow it. This needs a base.',
    ),
    promotedFrom: filledText(
      'A target: svcsync refuses an apply until the ledger of that target holds the commit as applied. ' +
        'At the top, it binds every other target. Only with `ledger`.',
      'test',
    ),
    olderCommit: oneOf(
      ['refuse'],
      'A commit that does not come after the commit applied last: ' +
        '`refuse` (the default, and the only value) demands `--allow older-commit=…`. Only with `ledger`.',
    ),
  },
}

const notify: Extract<Schema, { type: 'map' }> = {
  type: 'map',
  description: 'Webhooks by name: `drift --notify NAME` tells one that the verdict of a target has changed.',
  examples: [{ team: { url: '${env:TEAM_WEBHOOK}', as: 'teams' } }],
  values: {
    type: 'object',
    required: ['url'],
    description: 'A webhook.',
    properties: {
      url: {
        type: 'string',
        secret: true,
        description: 'Its address: a whole `${env:…}` or `${file:…}` reference, since everybody who knows it can post.',
        examples: ['${env:TEAM_WEBHOOK}'],
      },
      as: oneOf(['json', 'teams'], 'Plain JSON (the default), or a card for Microsoft Teams.', 'teams'),
    },
  },
}

/** `kinds`: those that can be deleted may be pruned. */
export function projectSchemaOf(kinds: readonly Kind[]): ObjectSchema {
  const prune: Record<string, ObjectSchema['properties'][string]> = {}
  for (const { lifecycle, sections, title } of kinds) {
    if (lifecycle !== 'full') continue
    prune[sections[0].key] = texts(
      `${title} that match one of these patterns and that no manifest declares: svcsync deletes them.`,
      ['proj-*@example.com'],
    )
  }
  return withOwnSettings({
    type: 'object',
    required: ['version', 'targets'],
    properties: {
      version: { type: 'integer', description: "Version of this file's form: 1.", examples: [1] },
      manifests: {
        ...texts('Files, folders (with everything below them) and globs, relative to this file.', ['manifests']),
        minItems: 1,
      },
      policies: texts(
        'Your rules: files, folders and globs, relative to this file. Default: the folder `policies`, if it exists.',
        ['policies'],
      ),
      target: filledText('The target if neither `--target` nor `SVCSYNC_TARGET` names one.', 'test'),
      targets: {
        type: 'map',
        description: 'Installations by name.',
        examples: [{ test: { baseUrl: 'https://test.example.com' } }],
        values: target,
        known: {
          from: filledText(
            'Files with more targets, by name, as here: a file, a folder or a glob below the folder of this file.',
            'targets/*.yaml',
          ),
        },
      },
      waves,
      ledger,
      settings,
      sets: setsSchema,
      accounts: {
        type: 'object',
        description: 'Rules for accounts.',
        properties: {
          external: texts(
            'Patterns of accounts that exist without a declaration, from a directory for instance: ' +
              '`*` is any text, `?` one character. Their use causes no warning.',
            ['*@corp.example.com'],
          ),
        },
      },
      prune: {
        type: 'object',
        description: 'Objects that svcsync deletes although no manifest declares them `absent`.',
        properties: prune,
      },
      removed,
      guards,
      access: oneOf(
        ['declared', 'full', 'none'],
        'Statements of a plan about gained and lost access: `declared` (the default) covers declared objects, ' +
          'from the reads of the plan; `full` covers everything that the platform lists, ' +
          'with a request for each group and each list of levels; `none` makes none.',
        'declared',
      ),
      exceptions: filledText(
        'File of accepted differences, with end and reason, relative to this file. ' +
          'Default: `exceptions.yaml`, if it exists.',
        'exceptions.yaml',
      ),
      globalPrivileges: {
        type: 'object',
        required: ['file'],
        description:
          'Roles of the whole installation, which no operation of the platform tells: a file that you review by hand.',
        examples: [{ file: 'global-privileges.yaml', maxAge: '90d' }],
        properties: {
          file: filledText('Relative to the project file.', 'global-privileges.yaml'),
          maxAge: filledText('Age of the oldest `checked` after which `--strict` fails. Default: `90d`.', '90d'),
        },
      },
      notify,
      protect: texts('Addresses, or globs over them: svcsync never deletes or empties these objects.', [
        'group/admins@example.com',
      ]),
    },
  })
}

/** A target may say for itself how careful to be with it. */
function withOwnSettings(schema: ObjectSchema): ObjectSchema {
  const own: Record<string, Schema> = {}
  for (const key of targetKeys) {
    const property = schema.properties[key]
    if (property === undefined) continue
    const description = `For this target, instead of \`${key}\` at the top. ${property.description}`
    own[key] = { ...property, description }
  }
  const values = { ...target, properties: { ...target.properties, ...own } }
  const targets = { ...schema.properties.targets, values } as Schema
  return { ...schema, properties: { ...schema.properties, targets } }
}

/** The schema of a file that `targets: { from }` names. */
export function targetsSchemaOf(kinds: readonly Kind[]): Extract<Schema, { type: 'map' }> {
  const { known: _, ...targets } = projectSchemaOf(kinds).properties.targets as Extract<Schema, { type: 'map' }>
  return targets
}
