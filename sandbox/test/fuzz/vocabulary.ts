export const namespaces = ['default', 'one', 'two', 'gone'] as const;

export const names = [
  'a',
  'b',
  'c',
  'd.e',
  'A',
  '-',
  'x'.repeat(64),
  '..',
  '%2e',
  '__proto__',
  'constructor',
  'é',
  '',
] as const;

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export const subresources = [
  'status',
  'scale',
  'eviction',
  'binding',
  'resize',
  'finalize',
  'log',
  'nope',
  'x/y',
] as const;

export const contentTypes = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'text/plain',
  '',
] as const;

export const accepts = [
  '*/*',
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
  'application/vnd.kubernetes.protobuf',
  ';;;,,q=,=',
] as const;

export const queries = [
  'watch=true&timeoutSeconds=1',
  'watch=1&resourceVersion=0',
  'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'limit=1',
  'limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvYSJ9',
  'resourceVersion=1&resourceVersionMatch=Exact',
  'resourceVersion=999999999',
  'labelSelector=a%3Db%2C!c%2Cd+in+(e%2Cf)',
  'labelSelector=((((',
  'fieldSelector=metadata.name%3Da',
  'fieldSelector=status.phase!%3D%5C',
  'dryRun=All',
  'dryRun=None',
  'fieldValidation=Strict',
  'fieldValidation=Ignore',
  'fieldManager=me',
  'fieldManager=you&force=true',
  'propagationPolicy=Foreground',
  'propagationPolicy=Orphan',
  'gracePeriodSeconds=0',
  'gracePeriodSeconds=-1',
  'pretty=true',
  'includeObject=Object',
] as const;

/** Values with a special meaning somewhere. */
export const oddities: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e21,
  0.5,
  '',
  '0',
  'x'.repeat(300),
  '\u0000',
  '\ud800',
  '2026-01-01T00:00:00Z',
  [],
  {},
  [null],
  [[]],
  [{}],
  { '': '' },
  { name: 'a' },
  { $patch: 'delete' },
  { $patch: 'replace', x: 1 },
  [{ $patch: 'delete', name: 'main' }],
  { $retainKeys: ['x'] },
];
