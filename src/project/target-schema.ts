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
        'Address of the installation. Without it, `SVCSYNC_BASE_URL` says it; `--base-url` wins over both.',
        'https://test.example.com',
      ),
      format: 'url',
    },
    authUrl: {
      ...filledText(
        'Address that issues tokens. Default: `baseUrl`; where that is not written either, `SVCSYNC_AUTH_URL` says it.',
        'https://login.example.com',
      ),
      format: 'url',
    },
    allowInsecureHttp: {
      type: 'boolean',
      description:
        '`true`: an `http://` address of another machine is used, although credentials then travel in clear.',
    },
    apiVersion: oneOf(['5.0', '6.0'], 'Version of the API. Default: `6.0`.'),
    clientId: filledText(
      'Id of the API application. Without it, `SVCSYNC_CLIENT_ID` says it.',
      '${env:SVCSYNC_CLIENT_ID}',
    ),
    clientSecret: {
      type: 'string',
      secret: true,
      description:
        'Secret of the API application: a whole `${env:…}` or `${file:…}` reference. Without it, it is that of `SVCSYNC_CLIENT_SECRET`.',
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
        'What of the manifests this target has: globs over addresses as manifests write them. The rest stays out of plans, guards, prune, drift and export. Default: all.',
        ['group/finance-*', 'process/main/Purchasing/**'],
      ),
      minItems: 1,
    },
    labels: {
      type: 'map',
      description: 'By what runs over several targets choose it: `--labels ring=canary`. No references.',
      examples: [{ ring: 'canary', region: 'eu' }],
      values: { type: 'string', minLength: 1 },
    },
    overrides: texts(
      'Files, folders and globs with manifests for this target alone: what they say of an object takes the place of what `manifests` say of it.',
      ['overrides/test'],
    ),
    variables: {
      type: 'map',
      description: 'Values for `${var:…}` in manifests. They are shown in plans: no credentials here.',
      examples: [{ erpServer: 'sql-test' }],
      values: { type: 'string' },
    },
    wireNames: {
      type: 'map',
      description:
        'What this installation calls keys and values otherwise than the documentation: documented name to real name. No references.',
      examples: [{ svcId: 'accountId' }],
      values: { type: 'string', minLength: 1 },
    },
    confirm: oneOf(
      ['name'],
      '`name`: `apply` asks for the name of the target, and `--yes` does not answer that; `--confirm` with the name does.',
    ),
    expect: {
      type: 'object',
      required: ['installation'],
      description:
        'By what the installation behind this target is known. Compared before anything is shown as that of the target, and before the first write: a wrong address, application or number of a database is noticed.',
      properties: {
        installation: {
          type: 'object',
          description:
            'What only this installation tells of itself: at least one of these. `svcsync doctor` prints the lines.',
          examples: [{ signsInAs: ['svcsync@example.com'], applications: { main: ['Purchasing'] } }],
          properties: {
            signsInAs: {
              ...texts(
                'svcIds of the API applications that svcsync uses here, as the platform calls them: the run signs in as one of them.',
                ['svcsync-read@example.com', 'svcsync@example.com'],
              ),
              minItems: 1,
            },
            applications: {
              type: 'map',
              description:
                'Applications that are there, by name, guid or id, for each database by the name that it has under `databases`.',
              examples: [{ main: ['Purchasing'] }],
              values: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
            },
          },
        },
      },
    },
    svcIdCase: oneOf(
      ['ignore', 'exact'],
      'Whether svcIds that differ in case only are the same account. Default: `ignore`.',
    ),
  },
}
