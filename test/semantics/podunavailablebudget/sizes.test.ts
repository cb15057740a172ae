import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { totalOf } from '../../../semantics/podunavailablebudget/sizes.ts';
import { pod, SELECTOR, workload } from './budgets.ts';

test('the sizes of many workloads are added up with one look at each', () => {
  const COUNT = 300;
  let reads = 0;
  const ids = Array.from(
    { length: COUNT },
    (_, index) => ['apps.kruise.io/v1beta1', 'CloneSet', `web-${index}`] as const,
  );
  const workloads = ids.map((id): KubeObject => {
    const { metadata, ...rest } = workload(2, id);
    return {
      ...rest,
      get metadata() {
        reads += 1;
        return metadata;
      },
    };
  });
  const pods = ids.map((id, index) => pod(`pod-${index}`, { owner: id }));
  const budget = { coverage: { by: 'selector', selector: SELECTOR }, total: undefined } as const;
  expect(totalOf(budget, pods, workloads)).toBe(2 * COUNT);
  expect(reads).toBeLessThan(5 * COUNT);
});
