import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const withClaim = (parts: Parameters<typeof cloneSet>[0] & { scaling?: string } = {}): string => {
  const claims =
    '  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}';
  const scaling = parts.scaling === undefined ? '' : `\n  scaleStrategy: {${parts.scaling}}`;
  return cloneSet({ spec: `${claims}${scaling}`, ...parts });
};
const byHand = {
  apiVersion: 'apps.kruise.io/v1beta1',
  type: 'OnDelete',
  scaling: 'enablePVCReuse: false',
};

const SPEC = '{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}';

/** Diagnostics about volume claims. */
export const claimCases: readonly Case[] = [
  {
    what: 'claim template',
    base: cloneSet(),
    head: withClaim(),
    expected: ['KR2119 head/web.yaml:12:3'],
  },
  {
    what: 'pods with claims recreated',
    base: withClaim(),
    head: withClaim({ pod: '      hostNetwork: true' }),
    expected: ['KR2140 head/web.yaml:15:3', 'KR2138 head/web.yaml:22:7'],
  },
  {
    what: 'pods with claims scaled in',
    base: withClaim(),
    head: withClaim({ replicas: 8 }),
    expected: ['KR2141 head/web.yaml:7:13'],
  },
  {
    what: 'a pod with claims to delete by name',
    base: withClaim({ scaling: 'podsToDelete: [web-a]' }),
    head: withClaim({ scaling: 'podsToDelete: [web-a, web-b]' }),
    expected: ['KR2131 head/web.yaml:15:34', 'KR2142 head/web.yaml:15:41'],
  },
  {
    what: 'pods with claims that users delete',
    base: withClaim(byHand),
    head: withClaim({ ...byHand, image: 'nginx:1.27' }),
    expected: ['KR2143 head/web.yaml:15:35'],
  },
  {
    what: 'claims no longer reused',
    base: withClaim(),
    head: withClaim({ scaling: 'disablePVCReuse: true' }),
    expected: ['KR2144 head/web.yaml:15:36'],
  },
  ...Object.entries({
    'no name': ['- {spec: SPEC}', 'KR2145 13:5'],
    'an empty name': ['- {metadata: {name: ""}, spec: SPEC}', 'KR2145 13:23'],
    'a name that no volume has': ['- {metadata: {name: my.data}, spec: SPEC}', 'KR2145 13:23'],
    'one name twice': [
      '- {metadata: {name: a}, spec: SPEC}\n  - {metadata: {name: a}, spec: SPEC}',
      'KR2145 14:23',
    ],
    'no access modes and no size': ['- {metadata: {name: a}, spec: {}}', 'KR2146 13:27', 'KR2146 13:27'],
    'no access mode in the list': [
      '- {metadata: {name: a}, spec: {accessModes: [], resources: {requests: {storage: 1Gi}}}}',
      'KR2146 13:47',
    ],
    'an access mode that there is not': [
      '- {metadata: {name: a}, spec: {accessModes: [RWO], resources: {requests: {storage: 1Gi}}}}',
      'KR2146 13:48',
    ],
    'an access mode that stands alone': [
      '- {metadata: {name: a}, spec: {accessModes: [ReadWriteOncePod, ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}',
      'KR2146 13:47',
    ],
    'no size above zero': [
      '- {metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 0}}}}',
      'KR2146 13:96',
    ],
    'a name and a size that are put in later': [
      '- {metadata: {name: "${NAME}"}, spec: {accessModes: ["${MODE}"], resources: {requests: {storage: "${SIZE}"}}}}',
    ],
  }).map(([what, [text = '', ...positions]]) => ({
    what: `claim template: ${what}`,
    head: cloneSet({ spec: `  volumeClaimTemplates:\n  ${text.replaceAll('SPEC', SPEC)}` }),
    options: { args: ['validate', 'head'] },
    expected: positions.map((position) => position.replace(' ', ' head/web.yaml:')),
  })),
  {
    what: 'a volume behind a claim',
    head: withClaim({ pod: '      volumes: [{name: tmp, emptyDir: {}}, {name: data, emptyDir: {}}]' }),
    options: { args: ['validate', 'head'] },
    expected: ['KR2147 head/web.yaml:22:51'],
  },
  {
    what: 'mounts with and without a volume',
    head: withClaim({
      container:
        '        volumeMounts: [{name: data, mountPath: /a}, {name: tmp, mountPath: /b}, {name: log, mountPath: /c}]',
      pod: '      volumes: [{name: tmp, emptyDir: {}}]\n      initContainers: [{name: init, image: "a:1", volumeDevices: [{name: disk, devicePath: /d}]}]',
    }),
    options: { args: ['validate', 'head'] },
    expected: ['KR2148 head/web.yaml:22:88', 'KR2148 head/web.yaml:24:74'],
  },
];
