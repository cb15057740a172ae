import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { workloadOfPod, workloadsOf } from '../../../semantics/pod/workload.ts';
import * as fc from '../../property.ts';

const few = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const reference = fc.record({
  apiVersion: few('apps/v1', 'v1'),
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
