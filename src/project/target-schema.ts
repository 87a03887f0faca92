// The shape of one target, in the project file or in a file of targets.
import { filledText, type ObjectSchema, type Schema } from '@svcsync/core/model/schema.ts'

export const oneOf = (words: readonly string[], description: string, example?: string) =>
  ({ type: 'string', enum: words, description, ...(example && { examples: [example] }) }) satisfies Schema

export const texts = (description: string, example: readonly string[]) =>
  ({
    type: 'array',
    description,
    examples: [[...example]],
    items: { type: 'string', minLength: 1 },
  }) satisfies Schema

export const target: ObjectSchema = {
  type: 'object',
  description: 'An installation of the Svc platform.',
  properties: {
    baseUrl: {
      ...filledText(
        'Address of the installation. Default: `SVCSYNC_BASE_URL`; `--base-url` wins over both.',
        'https://test.example.com',
      ),
      format: 'url',
    },
    authUrl: {
      ...filledText(
        'Address that issues tokens. Default: `baseUrl`; if that is not written either, `SVCSYNC_AUTH_URL`.',
        'https://login.example.com',
      ),
      format: 'url',
    },
    allowInsecureHttp: {
      type: 'boolean',
      description:
        '`true`: svcsync uses an `http://` address of another machine, although credentials then travel in clear.',
    },
    apiVersion: oneOf(['5.0', '6.0'], 'Version of the API. Default: `6.0`.'),
    clientId: filledText('Id of the API application. Default: `SVCSYNC_CLIENT_ID`.', '${env:SVCSYNC_CLIENT_ID}'),
    clientSecret: {
      type: 'string',
      secret: true,
      description:
        'Secret of the API application: a whole `${env:…}` or `${file:…}` reference. Default: `SVCSYNC_CLIENT_SECRET`.',
      examples: ['${env:SVCSYNC_CLIENT_SECRET}'],
    },
    databases: {
      type: 'map',
      description: 'Content databases: the name that manifests use, and the dbId on this installation.',
      examples: [{ main: 1 }],
      values: { type: 'integer', minimum: 1 },
    },
    only: {
      ...texts(
        'The part of the manifests that this target has: globs over addresses as manifests write them. ' +
          'Plans, guards, prune, drift and export leave out the rest. Default: all.',
        ['group/finance-*', 'process/main/Purchasing/**'],
      ),
      minItems: 1,
    },
    labels: {
      type: 'map',
      description:
        'Labels by which runs over several targets select it: `--labels ring=canary`. References are not allowed.',
      examples: [{ ring: 'canary', region: 'eu' }],
      values: { type: 'string', minLength: 1 },
    },
    overrides: texts(
      'Files, folders and globs with manifests for this target alone: their fields replace those in `manifests`.',
      ['overrides/test'],
    ),
    variables: {
      type: 'map',
      description: 'Values for `${var:…}` in manifests. Plans show them, so keep credentials elsewhere.',
      examples: [{ erpServer: 'sql-test' }],
      values: { type: 'string' },
    },
    wireNames: {
      type: 'map',
      description:
        'Names of this installation for keys and values: documented name to real name. References are not allowed.',
      examples: [{ svcId: 'accountId' }],
      values: { type: 'string', minLength: 1 },
    },
    confirm: oneOf(
      ['name'],
      '`name`: `apply` asks for the name of the target. `--confirm` with the name answers it; `--yes` does not.',
    ),
    expect: {
      type: 'object',
      required: ['installation'],
      description:
        'Marks of the installation behind this target. svcsync compares them before it shows anything, ' +
        'and before the first write: it notices a wrong address, application or database number.',
      properties: {
        installation: {
          type: 'object',
          description:
            'Facts that only this installation tells: at least one of these. `svcsync doctor` prints the lines.',
          examples: [{ signsInAs: ['svcsync@example.com'], applications: { main: ['Purchasing'] } }],
          properties: {
            signsInAs: {
              ...texts('svcIds of the API applications that svcsync uses here: the run signs in as one of them.', [
                'svcsync-read@example.com',
                'svcsync@example.com',
              ]),
              minItems: 1,
            },
            applications: {
              type: 'map',
              description:
                'Existing applications by name, guid or id, for each database by its name under `databases`.',
              examples: [{ main: ['Purchasing'] }],
              values: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
            },
          },
        },
      },
    },
    svcIdCase: oneOf(
      ['ignore', 'exact'],
      'Letter case of svcIds: `ignore` (the default) makes svcIds that differ only in case one account.',
    ),
  },
}
