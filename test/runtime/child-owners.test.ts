import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { ownersOf } from '../../runtime/observe/owners.ts';
import { SHARE_ANNOTATION, shareText } from '../../semantics/children/shares.ts';
import type { ShareWindow } from '../../semantics/plan/share.ts';
import type { Pod } from '../../semantics/pod/types.ts';

/** How many pods others may make unavailable of a child with 10 pods and `maxUnavailable: 2`. */
function mostOf(window: ShareWindow | 'no share' | 'not a share'): number | undefined {
  const child = childWith(window);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-a-1',
      namespace: 'shop',
      uid: 'pod',
      ownerReferences: [
        { apiVersion: child.apiVersion, kind: child.kind, name: 'web-a', uid: 'child', controller: true },
      ],
    },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  } as unknown as Pod;
  const caches = { target: () => child, podsOf: () => [pod], revisionsOf: () => [] };
  return ownersOf(caches, [pod])[0]?.maxUnavailable;
}

function childWith(window: ShareWindow | 'no share' | 'not a share'): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: {
      name: 'web-a',
      namespace: 'shop',
      uid: 'child',
      ownerReferences: [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'Root', name: 'web', uid: 'root', controller: true },
      ],
      ...(window !== 'no share' && { annotations: { [SHARE_ANNOTATION]: textOf(window) } }),
    },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
      updateStrategy: { maxUnavailable: 2 },
    },
  };
}

function textOf(window: ShareWindow | 'not a share'): string {
  if (window === 'not a share') return '{}';
  return shareText({
    share: { goal: 'h1:b', stable: 'h1:a', allowed: 10, moving: true, window, mode: 'Recreate' },
    root: { goal: 'h1:b', stable: 'h1:a', before: undefined, since: 1, atMost: 10 },
  });
}

test.each([
  { window: 'no share', most: 2 },
  { window: 'not a share', most: 2 },
  { window: {}, most: 2 },
  { window: { maxUnavailable: 1 }, most: 1 },
  { window: { maxUnavailable: 0 }, most: 0 },
  { window: { maxUnavailable: 5 }, most: 2 },
] as const)('a child with the window $window lets others take $most', ({ window, most }) => {
  expect(mostOf(window)).toBe(most);
});
