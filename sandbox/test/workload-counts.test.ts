import { expect, test } from 'vitest';
import { pod, refusal, stage } from './world.ts';

const spec = {
  replicas: -1,
  minReadySeconds: -1,
  revisionHistoryLimit: -1,
  progressDeadlineSeconds: -1,
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: pod('p')['spec'] },
};

const less = 'Invalid value: -1: must be greater than or equal to 0';

test.each([
  [
    'Deployment',
    [
      ['spec.replicas', less],
      ['spec.minReadySeconds', less],
      ['spec.revisionHistoryLimit', less],
      ['spec.progressDeadlineSeconds', less],
      ['spec.progressDeadlineSeconds', 'Invalid value: -1: must be greater than minReadySeconds'],
    ],
  ],
  [
    'ReplicaSet',
    [
      ['spec.replicas', less],
      ['spec.minReadySeconds', less],
    ],
  ],
  [
    'StatefulSet',
    [
      ['spec.replicas', less],
      ['spec.minReadySeconds', less],
    ],
  ],
])('the counts of a %s are not less than nothing', async (kind, expected) => {
  const { alice } = stage({ nodes: 0 });
  const resource = { group: 'apps', version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced: true };
  const body = { apiVersion: 'apps/v1', kind, metadata: { name: 'a', namespace: 'default' }, spec };
  const { details } = await refusal(alice.create(resource, body));
  expect(details?.causes?.map(({ field, message }) => [field, message])).toEqual(expected);
});
