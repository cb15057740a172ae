import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { belongsTo, isSameWorkload, workloadOfPod, workloadsOf } from '../../../semantics/pod/workload.ts';
import * as fc from '../../property.ts';

const few = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const reference = fc.record({
  apiVersion: few('apps/v1', 'apps/v1beta1', 'v1', '/v1', 'app/s/v1'),
  kind: few('ReplicaSet', 'CloneSet'),
  name: few('web-1', 'web-2'),
  uid: few('u', 'v'),
  controller: few('yes', 'yes', 'no').map((is) => is === 'yes'),
});
const pods = fc.array(
  fc.record({
    ownerReferences: fc.array(reference, { maxLength: 2 }),
    labels: fc.option(
      few('1', '2', '').map((hash) => ({ 'pod-template-hash': hash })),
      { nil: undefined },
    ),
  }),
);

test('the workloads of pods are those of each pod, once, in their order', () => {
  fc.assert(
    fc.property(pods, (metadata) => {
      const all = metadata.map((each) => ({ metadata: each }) as unknown as KubeObject);
      const texts = all.map((pod) => JSON.stringify(workloadOfPod(pod) ?? null));
      expect(workloadsOf(all).map((each) => JSON.stringify(each ?? null))).toEqual([...new Set(texts)]);
    }),
  );
});

test('a pod belongs to the workload that is found for it, and to no other', () => {
  const workload = fc.record({
    group: few('apps', 'app', ''),
    kind: few('ReplicaSet', 'CloneSet', 'Deployment'),
    name: few('web', 'web-1', 'web-2'),
  });
  fc.assert(
    fc.property(pods, workload, (metadata, each) => {
      for (const own of metadata) {
        const pod = { metadata: own } as unknown as KubeObject;
        const found = workloadOfPod(pod);
        expect(belongsTo(pod, each)).toBe(found !== undefined && isSameWorkload(found, each));
        expect(found === undefined || belongsTo(pod, found)).toBe(true);
      }
    }),
  );
});
