// A tenant with an object of every kind, every type of connection, and every word that stands for a product.
const own = (settings: object) => ({ common: settings, dev: settings })
const connections = [
  { name: 'S', type: 'SQL', sql: own({ server: 's', database: 'd', integratedAuthentication: true }) },
  { name: 'B', type: 'DbB', dbb: own({ serviceName: 's', integratedAuthentication: true }) },
  {
    name: 'O',
    type: 'SOAP',
    soap: own({ url: 'u', skipHttpsCertificateValidation: true, keepAlive: true, binding: 'HttpSecurityNone' }),
  },
  {
    name: 'R',
    type: 'REST',
    rest: own({
      authenticationUrl: 'a',
      baseUrl: 'b',
      skipHttpsCertificateValidation: true,
      authentication: 'Anonymous',
      connectAs: 'User',
    }),
  },
  {
    name: 'P',
    type: 'DocPortal',
    docportal: own({ url: 'u', environment: 'Local', credentials: 'CurrentUser' }),
  },
  {
    name: 'M',
    type: 'MailServer',
    mailserver: {
      common: { serverType: 'OnPremises', mailWebService: { url: 'u' } },
      dev: { serverType: 'DirectoryGraph', directoryGraph: { tenantId: 't' } },
    },
  },
]
const processGuid = '0f3c1d52-6a1e-4c11-9d5e-5b0a3c7e9a01'
const constant = { name: 'C', description: 'x', groupId: 4, common: 'c', dev: 'd', test: 't', prod: 'p' }
const privileges = [
  { svcId: 'jan@example.com', level: 'Start' },
  { svcId: 'ewa@example.com', level: 'Start', company: 'PL01' },
]
export const wholeTenant = {
  users: [
    {
      svcId: 'jan@example.com',
      name: 'Jan',
      email: 'j@example.com',
      phoneNumber: '1',
      managerSvcId: 'ewa@example.com',
      jobTitle: 'x',
    },
    { svcId: 'ewa@example.com', name: 'Ewa' },
    { svcId: 'ola@example.com', name: 'Ola' },
  ],
  groups: ['g', 'h', 'i'].map((svcId) => ({
    svcId,
    name: svcId,
    email: `${svcId}@example.com`,
    members: ['jan@example.com'],
    owners: ['ewa@example.com'],
  })),
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      constantGroups: [{ id: 4, name: 'Addresses' }],
      constants: [constant],
      connections,
      applications: [
        {
          name: 'A',
          privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }],
          processes: [
            {
              name: 'P',
              guid: processGuid,
              privileges,
              constants: [constant],
              formTypes: [{ name: 'F' }],
              workflows: [{ name: 'W', formTypes: ['F'], privileges: { F: privileges } }],
              elements: [{ id: 7, privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }] }],
            },
          ],
        },
      ],
    },
  ],
}

const rest = (authentication: string) => ({
  name: `R-${authentication}`,
  type: 'REST',
  rest: own({ authenticationUrl: 'a', baseUrl: 'b', authentication, connectAs: 'Application' }),
})
const portal = (environment: string) => ({
  name: `P-${environment}`,
  type: 'DocPortal',
  docportal: own({ url: 'u', environment, credentials: environment === 'Portal2013' ? 'Svc App' : 'UserDefined' }),
})

/** The same with licences, and a connection for each word that stands for a product. */
export const wordyTenant = {
  ...wholeTenant,
  licenses: {
    assigned: [
      {
        svcId: 'jan@example.com',
        licenses: [
          'PowerUser',
          {
            type: 'SingleSolutionUser',
            singleSolutionSettings: { processes: [{ guid: processGuid, dbId: 1, name: 'P' }] },
          },
        ],
      },
      {
        svcId: 'ola@example.com',
        licenses: [{ type: 'DesignerDeskUser', designerDeskSettings: { allowDesignerDeskProjectCreation: true } }],
      },
    ],
  },
  databases: wholeTenant.databases.map((database) => ({
    ...database,
    connections: [
      ...connections,
      ...['CrmSuiteA', 'CrmSuiteB', 'CrmSuiteAOnPremises', 'SvcSelf', 'DirectoryGraph'].map(rest),
      ...['Portal2013', 'Portal2016', 'Portal2019', 'PortalOnline'].map(portal),
    ],
  })),
}
