// The codes of everything that can go wrong at the HTTP edge, in one list so that each number is given once.

export const failureCodes = {
  // Nothing reached the platform.
  unreachable: 'SVC3001',
  nameNotFound: 'SVC3002',
  tlsFailed: 'SVC3003',
  proxyFailed: 'SVC3004',
  interrupted: 'SVC3005',
  heldBack: 'SVC3006',
  platformDown: 'SVC3007',
  memoryUsedUp: 'SVC3068',
  // The request may have been carried out.
  connectionLost: 'SVC3010',
  timedOut: 'SVC3011',
  // An answer that cannot be used.
  notJson: 'SVC3020',
  cutShort: 'SVC3021',
  redirected: 'SVC3022',
  listMissing: 'SVC3023',
  endlessList: 'SVC3024',
  otherShape: 'SVC3025',
  tooLarge: 'SVC3026',
  notHttp: 'SVC3027',
  // An answer that says no.
  rejected: 'SVC3030',
  notFound: 'SVC3031',
  notAllowedHere: 'SVC3032',
  conflict: 'SVC3033',
  locked: 'SVC3034',
  tooManyRequests: 'SVC3035',
  serverFailed: 'SVC3036',
  // Access.
  tokenRefused: 'SVC3040',
  permissionMissing: 'SVC3041',
  credentialsRefused: 'SVC3042',
  scopesMissing: 'SVC3043',
  tokenAddressWrong: 'SVC3044',
  tokenUnusable: 'SVC3045',
  // Settings of the connection.
  addressUnusable: 'SVC3050',
  addressInsecure: 'SVC3051',
  certificateFileUnreadable: 'SVC3052',
  wireNamesAmbiguous: 'SVC3053',
  segmentUnusable: 'SVC3054',
  credentialsEmpty: 'SVC3055',
  proxyUnusable: 'SVC3056',
  // An answer that is not believed.
  otherObject: 'SVC3060',
  foreignNotFound: 'SVC3061',
  noIdentity: 'SVC3062',
  listDisproved: 'SVC3063',
  // An answer that does not tell enough.
  levelsNotTold: 'SVC3085',
} as const
