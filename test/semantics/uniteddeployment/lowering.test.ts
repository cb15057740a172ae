import { expect, test } from 'vitest';
import { unitedLowering } from '../../../semantics/uniteddeployment/lowering.ts';
import { united, type Web } from '../../runtime/united-world.ts';

const around = { isScaled: false, namespaces: [], inNamespace: [] };
const lower = (web: Web, before: readonly ReturnType<typeof united>[] = []) =>
  unitedLowering.lower(united(web), { ...around, before });

test('a StatefulSet of Kubernetes of a subset keeps that users update its pods', () => {
  const updateStrategy = { type: 'OnDelete' };
  const found = lower({ field: 'statefulSetTemplate', child: { updateStrategy } });
  const built = { kind: 'StatefulSet', spec: { updateStrategy } };
  expect(found).toMatchObject({ objects: [built, built, built] });
});

test.each(['deploymentTemplate', 'statefulSetTemplate'] as const)(
  'a remainder stays where the last build has it: %s',
  (field) => {
    const sizesOf = (found: ReturnType<typeof lower>): unknown[] =>
      'stays' in found ? [] : found.objects.map(({ spec }) => (spec as { replicas: number }).replicas);
    const first = lower({ field, spec: { replicas: 9 } });
    const built = 'stays' in first ? [] : first.objects;
    const grown = built.map((each, index) =>
      index === 0 ? { ...each, spec: { ...(each.spec as object), replicas: 5 } } : each,
    );
    expect([sizesOf(lower({ field })), sizesOf(lower({ field }, grown))]).toEqual([
      [3, 3, 4],
      [4, 3, 3],
    ]);
  },
);
