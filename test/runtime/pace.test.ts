import { expect, test } from 'vitest';
import { paceOf } from '../../runtime/observe/pace.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { cloneSetKey } from './keys.ts';

const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [] } };

/** The pace of a target that selects so many pods. */
function pace(
  kind: 'WorkloadSpread' | 'PodUnavailableBudget' | 'SidecarSet',
  pods: number,
  isFollowing = true,
): number {
  return paceOf(
    {
      isSelecting: () => true,
      isFollowing: () => isFollowing,
      selectedBy: () => Array.from({ length: pods }, () => pod),
    },
    targetKey(resources[kind], kind === 'SidecarSet' ? '' : 'shop', 'web'),
  );
}

test('what only counts pods of a target is reconciled less often the more there are', () => {
  expect([0, 10, 333, 1_000, 10_000].map((pods) => pace('WorkloadSpread', pods))).toEqual([
    1_000, 1_000, 1_000, 3_000, 5_000,
  ]);
});

test('whom pods wait for is reconciled every second, however many there are', () => {
  // Pods of a Deployment wait until their WorkloadSpread has placed them.
  expect(pace('WorkloadSpread', 5_000, false)).toBe(1_000);
  expect(pace('PodUnavailableBudget', 5_000)).toBe(1_000);
  expect(pace('SidecarSet', 5_000, false)).toBe(1_000);
});

test('what selects no pods has no pace', () => {
  const none = { isSelecting: () => false, isFollowing: () => false, selectedBy: () => undefined };
  expect(paceOf(none, cloneSetKey())).toBe(0);
});
