import type { Case } from './diagnostic-cases.ts';
import { type NumberedParts, numbered } from './numbered.ts';

const next = { image: 'nginx:1.27' };
const held = { ...next, policy: 'OrderedReady', rolling: 'partition: 4' } as const;
const claims = (name: string, more = '', size = '1Gi'): NumberedParts => ({
  spec: `  volumeClaimTemplates: [{metadata: {name: ${name}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${size}}}}}]${more}`,
});
const growing = '\n  volumeClaimUpdateStrategy: {type: OnPodRollingUpdate}';
const deleting = '\n  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete, whenDeleted: Retain}';

const rows: readonly [what: string, base: NumberedParts, head: NumberedParts, expected: string[]][] = [
  ['another service (AS-50)', {}, { serviceName: 'db' }, ['KR2150 head/web.yaml:6:16']],
  [
    'another selector (AS-50)',
    {},
    { selector: 'app: web, tier: front', labels: 'app: web, tier: front' },
    ['KR2102 head/web.yaml:8:3'],
  ],
  [
    'another pod management (AS-50)',
    { policy: 'OrderedReady' },
    { policy: 'Parallel' },
    ['KR2150 head/web.yaml:7:24'],
  ],
  ['the default of it, written out', { policy: '' }, { policy: 'OrderedReady' }, []],
  ['an ordinal becomes reserved', {}, { spec: '  reserveOrdinals: [1]' }, ['KR2151 head/web.yaml:19:20']],
  ['a reservation out of range', {}, { spec: '  reserveOrdinals: [40]' }, []],
  [
    'an ordinal becomes reserved, and none has to go',
    { replicas: 1 },
    { spec: '  reserveOrdinals: [1]' },
    [],
  ],
  ['another first ordinal', {}, { spec: '  ordinals: {start: 3}' }, ['KR2151 head/web.yaml:19:21']],
  [
    'an ordinal becomes reserved beside a scale-in, and claims are deleted',
    claims('data', deleting),
    { ...claims('data', `${deleting}\n  reserveOrdinals: [1]`), replicas: 8 },
    ['KR2151 head/web.yaml:21:20'],
  ],
  ['scale-in alone', {}, { replicas: 8 }, []],
  ['scale-in and an update', {}, { ...next, replicas: 8 }, ['KR2152 head/web.yaml:5:13']],
  ['scale-out and an update', {}, { ...next, replicas: 12 }, []],
  [
    'scale-in and an update of which the partition keeps all',
    {},
    { ...next, replicas: 8, rolling: 'partition: 8' },
    ['KR2113 head/web.yaml:12:87'],
  ],
  ['a partition, one pod at a time', { policy: 'OrderedReady' }, held, ['KR2153 head/web.yaml:12:68']],
  ['the same without a partition', { policy: 'OrderedReady' }, { ...held, rolling: 'partition: 0' }, []],
  ['the same, three at a time', {}, { ...next, rolling: 'partition: 4' }, []],
  ['the same, paused', { policy: 'OrderedReady' }, { ...held, rolling: 'partition: 4, paused: true' }, []],
  [
    'the same, OnDelete',
    { policy: 'OrderedReady' },
    { ...next, policy: 'OrderedReady', type: 'OnDelete' },
    [],
  ],
  [
    'another environment under InPlaceOnly (AS-33)',
    { policyOfPods: 'InPlaceOnly' },
    { policyOfPods: 'InPlaceOnly', env: 'A' },
    ['KR2104 head/web.yaml:18:50'],
  ],
  ['the same under InPlaceIfPossible', {}, { env: 'A' }, ['KR2138 head/web.yaml:18:50']],
  ['scale-in that keeps claims', claims('data'), { ...claims('data'), replicas: 8 }, []],
  [
    'scale-in that deletes claims',
    claims('data', deleting),
    { ...claims('data', deleting), replicas: 8 },
    ['KR2141 head/web.yaml:5:13'],
  ],
  [
    'claims that grow',
    claims('data', growing),
    claims('data', growing, '2Gi'),
    ['KR2149 head/web.yaml:19:3'],
  ],
  ['the same, OnDelete', claims('data'), claims('data', '', '2Gi'), ['KR2119 head/web.yaml:19:3']],
  [
    'a smaller claim template (AS-46)',
    claims('data', growing, '2Gi'),
    claims('data', growing),
    ['KR2119 head/web.yaml:19:3'],
  ],
  ['a claim template', {}, claims('data'), ['KR2119 head/web.yaml:19:3']],
];

/** Diagnostics about ordinals, and about fields that cannot change. */
export const ordinalCases: readonly Case[] = [
  ...rows.map(([what, base, head, expected]) => ({
    what,
    base: numbered(base),
    head: numbered(head),
    expected,
  })),
  {
    what: 'an autoscaler gets the number of replicas, beside an update',
    base: numbered(),
    head: numbered(next).replace(/ {2}replicas: .*\n/, ''),
    expected: ['KR2152 head/web.yaml:4:1', 'KR2220 head/web.yaml:4:1'],
  },
];
