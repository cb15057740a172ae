import { expect, test } from 'vitest';
import { diagnosticsOf } from './world/manifests.ts';
import { numbered } from './world/numbered.ts';
import { onNodes } from './world/on-nodes.ts';

const ours = numbered();
const native = ours.replace('apps.kruise.io/v1beta1', 'apps/v1');
const nativeOnNodes = onNodes({ apiVersion: 'apps/v1' });

/** Message and help of the warning about a change of this manifest. */
async function told(base: string, head: string): Promise<string[]> {
  const { all } = await diagnosticsOf({ 'base/web.yaml': base, 'head/web.yaml': head });
  return all
    .filter(({ code }) => code === 'KR2154' || code === 'KR2156')
    .map(({ message, help }) => `${message}; ${help}`);
}

test.each<[what: string, base: string, head: string, expected: RegExp]>([
  [
    'from Kubernetes: the object of Kubernetes is deleted',
    native,
    ours,
    /adopts its 10 pods without a restart, .*: kubectl delete statefulsets\.apps web -n shop --cascade=orphan\./,
  ],
  [
    'beside an object of Kubernetes that stays: nothing is deleted, and this one waits',
    native,
    `${ours}---\n${native}`,
    /^StatefulSet shop\/web stays in git with the group apps, too: .* and this one waits; remove the old manifest/,
  ],
  [
    'to Kubernetes: the object of OpenKruise is deleted',
    ours,
    native,
    /: kubectl delete statefulsets\.apps\.kruise\.io web -n shop --cascade=orphan\./,
  ],
  [
    'pods on nodes: how many there are is not in git, and no name keeps the new object waiting',
    nativeOnNodes,
    onNodes(),
    /adopts its pods without a restart, .*; before this is applied, or it makes a second pod on each node: kubectl delete daemonsets\.apps log -n shop --cascade=orphan\./,
  ],
  [
    'pods on nodes beside an object of Kubernetes that stays: this one does not wait',
    nativeOnNodes,
    `${onNodes()}---\n${nativeOnNodes}`,
    /^DaemonSet shop\/log stays in git with the group apps, too: its pods belong to that one, and this one makes a second pod on each node; remove/,
  ],
  [
    'pods on nodes to Kubernetes',
    onNodes(),
    nativeOnNodes,
    /that adopts its pods, .*: kubectl delete daemonsets\.apps\.kruise\.io log -n shop --cascade=orphan\./,
  ],
])('%s', async (_what, base, head, expected) => {
  expect(await told(base, head)).toEqual([expect.stringMatching(expected)]);
});
