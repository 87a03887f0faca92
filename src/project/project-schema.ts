// The only declaration of the project file: validation and the editors' schema follow from it.
import type { Kind } from '@svcsync/core/model/kind.ts'
import {
  filledText,
  type MapSchema,
  type ObjectSchema,
  type Schema,
  type StringSchema,
} from '@svcsync/core/model/schema.ts'
import { setsSchema } from '@svcsync/manifests/sets-schema.ts'
import { ownOfTarget } from './project-reader.ts'
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
  description: `How many ${what} one run may make. More than either limit: refused before the first write, unless \`--allow\` says so.`,
  examples: [{ max, percent }],
  properties: {
    max: { type: 'integer', minimum: 0, description: `Largest number of a kind. Default: ${max}.`, examples: [max] },
    percent: {
      type: 'integer',
      minimum: 0,
      description: `Largest share of what is there, from 5 on. Default: ${percent}.`,
      examples: [percent],
    },
  },
})

const settings: ObjectSchema = {
  type: 'object',
  description: 'How svcsync works.',
  properties: {
    concurrency: atLeastOne('Requests in flight at once, reads and writes together. Default: 16.', 16),
    maxAnswerMb: atLeastOne(
      'Largest answer of the platform in MB, unpacked: what is larger is not read. Default: 64, or less where Node may take little memory; at most 512.',
      64,
    ),
    pageSize: atLeastOne('Items of a page of a list. Default: 200.', 200),
    retry: {
      type: 'object',
      description: 'How requests are repeated that failed in passing.',
      properties: {
        attempts: atLeastOne('Tries in all, the first included. Default: 5.', 5),
        maxDelay: duration('Longest pause between two tries. Default: `30s`.', '30s'),
      },
    },
    sync: {
      type: 'object',
      description: 'Waiting for the platform to synchronise what was written.',
      properties: { timeout: duration('How long to wait at most. Default: `2m`.', '2m') },
    },
    timeZone: filledText(
      'Time zone of dates in `from` and `until`, by its IANA name. Default: `UTC`.',
      'Europe/Warsaw',
    ),
    readFilesFrom: texts(
      'Folders, or files, that `${file:…}` may read although they lie outside the project, are hidden, or are ignored by git: where secrets are mounted, for instance. Absolute, or relative to this file. Default: none.',
      ['/run/secrets'],
    ),
    collections: oneOf(
      ['exclusive', 'additive'],
      'What a listed collection means: `exclusive` (the default) removes what is not listed, `additive` only adds.',
    ),
    privileges: oneOf(
      ['exclusive', 'additive', 'whole'],
      'The same of `privileges`. Beside `exclusive` and `additive` there is `whole`: levels that are not listed are empty, and whoever has one loses it. Default: as `collections`.',
    ),
    identifiers: oneOf(
      ['warn', 'ignore'],
      "Whether a plan warns (the default) of new accounts that the installation's own import of users would refuse: an svcId that is not name@domain or holds one of `% & * + / = ? # ; :`, a user without name or email, a group without name.",
    ),
    unreadable: oneOf(
      ['skip', 'refuse'],
      'What an apply does where objects cannot be read: `skip` (the default) leaves them and what rests on them alone, applies the rest and exits with 3; `refuse` writes nothing.',
    ),
  },
}

const waves: Schema = {
  type: 'array',
  minItems: 1,
  description:
    'In which order an apply over several targets goes: a wave is begun when the one before it has ended within its budget. Targets of no wave come last.',
  examples: [[{ labels: { ring: 'canary' } }, { labels: { ring: 'early' }, failures: 1 }]],
  items: {
    type: 'object',
    required: ['labels'],
    properties: {
      labels: {
        type: 'map',
        description: 'Labels of its targets: each has to hold. A target is of the first wave that it fits.',
        examples: [{ ring: 'canary' }],
        values: { type: 'string', minLength: 1 },
      },
      failures: {
        type: 'integer',
        minimum: 0,
        description: 'How many of its targets may fail before the next wave is begun. Default: 0.',
        examples: [1],
      },
    },
  },
}

const ledger: ObjectSchema = {
  type: 'object',
  required: ['remote'],
  description:
    'Where git keeps which commit was applied to each target: `apply` moves it, and plans compare with that commit, too.',
  examples: [{ remote: 'origin' }],
  properties: {
    remote: filledText('Name of a remote of the repository, as `git remote` lists it. No address.', 'origin'),
    signed: oneOf(
      ['accept', 'require'],
      'Whether entries, leases and journals have to be signed by somebody whom your own git settings trust: `accept` (the default) asks for no signature; `require` signs what svcsync writes, and refuses all else.',
      'require',
    ),
  },
}

const removed: ObjectSchema = {
  type: 'object',
  description: 'What becomes of what the base declares and the manifests do not any more. Without a base, nothing.',
  properties: {
    entries: oneOf(
      ['remove', 'keep'],
      'Members, owners, privileges and licences: they are taken away (the default), or kept and listed.',
    ),
    objects: oneOf(
      ['keep', 'delete'],
      'Users, groups and substitutions: kept and listed (the default), or deleted, with a ledger alone.',
    ),
    values: oneOf(
      ['keep', 'inherit'],
      'Environments of constants and connections: kept as they are and listed (the default), or inheriting again. Other values are always kept.',
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
      'A plan by which somebody becomes Administrator, through groups too: `show` (the default) says it first; `refuse` wants `--allow administrator-gained=…`.',
      'refuse',
    ),
    overwrites: oneOf(
      ['show', 'refuse'],
      'What was changed on the platform since the base and would be changed back: the plan shows it (the default), or refuses it until it is allowed. Without a base nothing is known of it.',
    ),
    promotedFrom: filledText(
      'A target: an apply is refused until the ledger of that target holds the commit as applied. At the top, it binds every target but that one. Only with `ledger`.',
      'test',
    ),
    olderCommit: oneOf(
      ['refuse'],
      'A commit that does not come after the one that was applied last: `refuse` (the default, and all there is) wants `--allow older-commit=…`. Only with `ledger`.',
    ),
  },
}

/** `kinds`: those that can be deleted may be pruned. */
export function projectSchemaOf(kinds: readonly Kind[]): ObjectSchema {
  const prune: Record<string, ObjectSchema['properties'][string]> = {}
  for (const { lifecycle, sections, title } of kinds) {
    if (lifecycle !== 'full') continue
    prune[sections[0].key] = texts(
      `${title} that match one of these patterns and that no manifest mentions are planned for deletion.`,
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
        'Files with rules of your own: files, folders and globs, relative to this file. Default: the folder `policies` beside it, if there is one.',
        ['policies'],
      ),
      target: filledText('The target that is meant when neither `--target` nor `SVCSYNC_TARGET` names one.', 'test'),
      targets: {
        type: 'map',
        description: 'Installations by name.',
        examples: [{ test: { baseUrl: 'https://test.example.com' } }],
        values: target,
        known: {
          from: filledText(
            'Files with more targets, by name, as they may stand here: a file, a folder or a glob below the folder of this file.',
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
        description: 'Accounts that are used.',
        properties: {
          external: texts(
            'Patterns of accounts that exist without being declared, from a directory for instance: `*` is any text, `?` one character. Using them is no warning.',
            ['*@corp.example.com'],
          ),
        },
      },
      prune: { type: 'object', description: 'What is deleted without being declared `absent`.', properties: prune },
      removed,
      guards,
      access: oneOf(
        ['declared', 'full', 'none'],
        'Whether a plan says who gains and who loses what: `declared` (the default), from what the plan has read anyway; `full`, from everything that the platform lists, which takes a request for each group and each list of levels; `none`: it does not.',
        'declared',
      ),
      exceptions: filledText(
        'File of what is known to differ, until when, and why, relative to this file. Default: `exceptions.yaml`, if it is there.',
        'exceptions.yaml',
      ),
      globalPrivileges: {
        type: 'object',
        required: ['file'],
        description:
          'Roles of the whole installation, which no operation of the platform tells: a file that somebody keeps by hand and reviews.',
        examples: [{ file: 'global-privileges.yaml', maxAge: '90d' }],
        properties: {
          file: filledText('Relative to the project file.', 'global-privileges.yaml'),
          maxAge: filledText('After so many days since the oldest `checked`, `--strict` fails. Default: `90d`.', '90d'),
        },
      },
      notify: {
        type: 'map',
        description: 'Where `drift --notify NAME` says that the verdict of a target has changed, by name.',
        examples: [{ team: { url: '${env:TEAM_WEBHOOK}', as: 'teams' } }],
        values: {
          type: 'object',
          required: ['url'],
          description: 'A webhook.',
          properties: {
            url: {
              type: 'string',
              secret: true,
              description: 'Its address: a whole `${env:…}` or `${file:…}` reference, since whoever has it can post.',
              examples: ['${env:TEAM_WEBHOOK}'],
            },
            as: oneOf(['json', 'teams'], 'Plain JSON (the default), or a card for Microsoft Teams.', 'teams'),
          },
        },
      },
      protect: texts('Addresses or globs over them: never deleted, never emptied.', ['group/admins@example.com']),
    },
  })
}

/** A target may say for itself how careful to be with it. */
function withOwnSettings(schema: ObjectSchema): ObjectSchema {
  const own: Record<string, Schema> = {}
  for (const key of ownOfTarget) {
    const property = schema.properties[key]
    if (property === undefined) continue
    const description = `For this target, in the place of what \`${key}\` says at the top. ${property.description}`
    own[key] = { ...property, description }
  }
  const values = { ...target, properties: { ...target.properties, ...own } }
  const targets = { ...schema.properties.targets, values } as Schema
  return { ...schema, properties: { ...schema.properties, targets } }
}

/** The schema of a file that `targets: { from }` names. */
export function targetsSchemaOf(kinds: readonly Kind[]): MapSchema {
  const { known: _, ...targets } = projectSchemaOf(kinds).properties.targets as MapSchema
  return targets
}
