// The fields of each type of connection, for one environment.
import type { ObjectSchema, Schema, StringSchema } from '@svcsync/core/model/schema.ts'
import { extraField, textField } from '../parts/fields.ts'

const flag = (description: string) => ({ type: 'boolean', description }) as const
const oneOf = <const E extends readonly string[]>(values: E, description: string) =>
  ({ type: 'string', enum: values, word: true, grows: true, description }) as const
const login = (description: string, example: string) =>
  ({ type: 'string', writeOnly: true, description, examples: [example] }) as const
const secret = (description: string) =>
  ({
    type: 'string',
    secret: true,
    description: `${description} A whole \`\${env:…}\` or \`\${file:…}\` reference.`,
  }) as const

/** The field is there in API 6.0 alone. */
const later = <S extends Schema>(schema: S) => ({ ...schema, since: '6.0' }) as const

const user = login('Login name. The platform never returns it, so it is sent but not compared.', 'erp')
const password = secret('Password of the login.')

const sql = {
  server: textField('Name or address of the database server.', 'sql01.example.com'),
  database: textField('Name of the database.', 'ERP'),
  integratedAuthentication: flag(
    'Log in as the account that the platform runs under (installations of 2022.1 and API 5.0).',
  ),
  connectionType: later(
    oneOf(
      [
        'SqlLogin',
        'WindowsAuth',
        'WindowsAuthImpersonation',
        'ADPassword',
        'ADIntegrated',
        'ADServicePrincipal',
        'ADManagedIdentity',
        'ADDefault',
      ],
      'The way of logging in (later installations, instead of `integratedAuthentication`).',
    ),
  ),
  trustCertificate: later(flag("Trust the server's certificate without checking it (later installations).")),
  user,
  password,
  clientId: later(login('Client id, if the login needs one.', 'svcsync')),
  clientSecret: later(secret('Client secret, if the login needs one.')),
}

const dbb = {
  serviceName: textField('Name of the database service.', 'ERPDB'),
  integratedAuthentication: flag('Log in as the account that the platform runs under.'),
  user,
  password,
}

const soap = {
  url: textField('Address of the service.', 'https://erp.example.com/service'),
  skipHttpsCertificateValidation: flag("Do not check the service's certificate."),
  keepAlive: flag('Keep the connection open between calls.'),
  binding: oneOf(
    ['HttpSecurityNone', 'HttpBasic', 'HttpNtlm', 'HttpsBasic', 'HttpsNoCredentials'],
    'Transport and way of logging in.',
  ),
  user,
  password,
}

const rest = {
  authenticationUrl: textField('Address that issues tokens.', 'https://login.example.com/token'),
  baseUrl: textField('Address that all calls start with.', 'https://api.example.com/v1'),
  skipHttpsCertificateValidation: flag("Do not check the service's certificate."),
  authentication: oneOf(
    [
      'Anonymous',
      'NT',
      'Basic',
      'OAuth2User',
      'OAuth2App',
      'Custom',
      'CrmSuiteA',
      'CrmSuiteB',
      'CrmSuiteAOnPremises',
      'SvcSelf',
      'DirectoryGraph',
    ],
    'The way of logging in.',
  ),
  connectAs: oneOf(['Application', 'User'], 'The account of the calls.'),
  user,
  password,
  clientId: login('Client id. The platform never returns it.', 'svcsync'),
  clientSecret: secret('Client secret.'),
}

const docportal = {
  url: textField('Address of the portal.', 'https://portal.example.com'),
  environment: oneOf(['Local', 'Portal2013', 'Portal2016', 'Portal2019', 'PortalOnline'], 'Edition of the portal.'),
  credentials: {
    ...oneOf(['ServiceAccount', 'UserDefined', 'CurrentUser', 'Svc App'], 'The owner of the credentials.'),
    // Some releases misspell the value in their answers.
    aliases: { ServiceAccoount: 'ServiceAccount' },
  },
  user,
  password,
}

const mailserver = {
  serverType: oneOf(['OnPremises', 'EwsBasicAuth', 'DirectoryGraph'], 'Kind of mail server.'),
  mailWebService: {
    type: 'object',
    description: 'For `OnPremises` and `EwsBasicAuth`.',
    properties: {
      url: textField('Address of the mail web service.', 'https://mail.example.com/service'),
      user,
      password,
    },
  },
  directoryGraph: {
    type: 'object',
    description: 'For `DirectoryGraph`.',
    properties: {
      tenantId: textField('Id of the tenant.', '6f1c2f0a-1d7b-4a55-9c1e-0d6f5b1f2a3c'),
      applicationId: login(
        'Id of the application. The platform never returns it.',
        '0b9f8c1e-5a34-4f0e-8a55-3c2d1e0f9a87',
      ),
      clientSecret: secret('Client secret of the application.'),
    },
  },
} as const

/** Type as the platform names it → the node that goes with it, and the fields of one environment. */
export const connectionTypes = {
  SQL: { node: 'sql', fields: sql },
  DbB: { node: 'dbb', fields: dbb },
  SOAP: { node: 'soap', fields: soap },
  REST: { node: 'rest', fields: rest },
  DocPortal: { node: 'docportal', fields: docportal },
  MailServer: { node: 'mailserver', fields: mailserver },
} as const satisfies Readonly<Record<string, { node: string; fields: ObjectSchema['properties'] }>>

const rotation: StringSchema = {
  type: 'string',
  minLength: 1,
  directive: true,
  rotation: true,
  description:
    'A number or a date (`2026-11-22`). If it differs from that in the base of the plan, ' +
    'svcsync sends the credentials beside it again. It never sends the rotation itself.',
  examples: ['2026-11-22'],
}

/** The schema of a node: four environments, of which all but `common` may inherit. */
export function nodeSchema(type: keyof typeof connectionTypes): ObjectSchema {
  const properties: ObjectSchema['properties'] = { ...connectionTypes[type].fields, rotation, extra: extraField }
  const environment = (name: string): ObjectSchema => ({
    type: 'object',
    nullable: true,
    inherited: true,
    environment: true,
    description:
      `Settings in the environment ${name}. Missing fields come from \`common\` when the environment ` +
      'gets its own settings; `null`, at length `{ inherit: true }`, restores inheritance.',
    properties,
  })
  return {
    type: 'object',
    description: `Settings of a ${type} connection by environment.`,
    properties: {
      common: {
        type: 'object',
        environment: true,
        description: 'Settings of every environment without its own.',
        properties,
      },
      dev: environment('dev'),
      test: environment('test'),
      prod: environment('prod'),
    },
  }
}
