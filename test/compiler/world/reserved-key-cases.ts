import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const withMetadata = (text: string): string =>
  cloneSet().replace('      labels: {app: web}', `      labels: {app: web}\n      ${text}`);
const withLabel = (label: string): string =>
  cloneSet().replace('{app: web}\n    spec', `{app: web, ${label}}\n    spec`);
const claim = (metadata: string): string =>
  cloneSet({
    spec: `  volumeClaimTemplates:\n  - metadata: {name: data, ${metadata}}\n    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`,
  });

const validated = Object.entries<readonly string[]>({
  'an update that was put off': [
    withMetadata('annotations: {apps.kruise.io/inplace-update-state: "{}", mine: x}'),
    'KR2134 15:21',
  ],
  'both old names': [
    withMetadata('annotations: {inplace-update-state: "{}", inplace-update-grace: "{}"}'),
    'KR2134 15:21',
    'KR2134 15:49',
  ],
  'another case': [withMetadata('annotations: {Apps.Kruise.IO/Inplace-Update-State: "{}"}'), 'KR2134 15:21'],
  'a typing mistake': [
    withMetadata('annotations: {apps.kruise.io/container-launch-prioriti: Ordered}'),
    'KR2134 15:21',
  ],
  'the wish to be deleted': [withLabel('apps.kruise.io/specified-delete: ""'), 'KR2134 14:26'],
  'a revision': [withLabel('controller-revision-hash: a'), 'KR2134 14:26'],
  'an annotation as a label': [withLabel('pub.kruise.io/no-protect: "true"'), 'KR2134 14:26'],
  'a finalizer': [withMetadata('finalizers: [example.io/mine, kruise.io/theirs]'), 'KR2134 15:37'],
  'of a claim': [
    claim('annotations: {plan.kruise.io/goes-with: x}, labels: {apps.kruise.io/subset-name: a}'),
    'KR2134 13:42',
    'KR2134 13:81',
  ],
  'memory on the object itself': [
    cloneSet().replace('metadata:', 'metadata:\n  annotations: {plan.kruise.io/complete: "9", mine: x}'),
    'KR2134 4:17',
  ],
  'what people write on the object itself': [
    cloneSet().replace(
      'metadata:',
      'metadata:\n  annotations: {plan.kruise.io/policy: Auto, apps.kruise.io/enable-in-place: "1"}',
    ),
  ],
  'what people write': [
    withMetadata(
      'annotations: {apps.kruise.io/container-launch-priority: Ordered, pub.kruise.io/no-protect: "true", "notkruise.io/x": "a", "kruise.example/x": "a"}',
    ),
  ],
  'names of users below the domain': [
    withMetadata(
      'annotations: {hook.example.kruise.io/drain: a, example.kruise.io/b: a}\n      finalizers: [hook.example.kruise.io/f]',
    ),
  ],
  'every prefix of a controller, in any case': [
    withMetadata(
      'annotations: {lifecycle.apps.kruise.io/x: a, WorkloadSpread.Kruise.IO/x: a, crr.apps.kruise.io/x: a}',
    ),
    'KR2134 15:21',
    'KR2134 15:52',
    'KR2134 15:83',
  ],
  'what others write into templates': [
    withLabel('apps.kruise.io/subset-name: a, policy.kruise.io/delete-protection: Always, inplace-update: a'),
  ],
}).map(([what, [head = '', ...positions]]) => ({
  what: `reserved key: ${what}`,
  head,
  options: { args: ['validate', 'head'] },
  expected: positions.map((position) => position.replace(' ', ' head/web.yaml:')),
}));

/** Keys that no template may have, and keys that it may have. */
export const reservedKeyCases: readonly Case[] = [
  ...validated,
  {
    what: 'reserved key: one that the change removes',
    head: cloneSet(),
    base: withMetadata('annotations: {apps.kruise.io/inplace-update-state: "{}"}'),
    expected: [],
  },
];
