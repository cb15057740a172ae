import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { newCopy, wantedCopy } from '../../../semantics/resourcedistribution/copies.ts';
import { decideDistribution, MOST_WRITES } from '../../../semantics/resourcedistribution/decide.ts';

const target: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ResourceDistribution',
  metadata: { name: 'shared', uid: 'u', generation: 1 },
  spec: {
    resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'red' } },
    targets: { allNamespaces: true, excludedNamespaces: { list: [{ name: 'team-0' }] } },
  },
};
const COUNT = 3 * MOST_WRITES;
const names = Array.from({ length: COUNT }, (_, at) => `team-${at}`);
const namespaces = names.map((name): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
}));
const copyIn = (namespace: string, color: string): KubeObject => {
  const copy = newCopy(target, wantedCopy(target), namespace);
  const metadata = { ...copy.metadata, uid: namespace, resourceVersion: '1' };
  return { ...copy, metadata, data: { color } };
};
const decided = (children: readonly KubeObject[], hasFailed = false) =>
  decideDistribution({ target, children, namespaces, now: 0, ...(hasFailed && { hasFailed }) }, undefined);

test.each([
  ['missing', () => [], COUNT - 1],
  ['other', () => names.map((name) => copyIn(name, 'blue')), COUNT],
  ['as wanted, but one too many', () => names.map((name) => copyIn(name, 'red')), 1],
])('copies that are %s are written in parts, and counted as a whole', (_title, before, writes) => {
  const copies = new Map(before().map((copy) => [copy.metadata.namespace ?? '', copy]));
  let written = 0;
  for (let part = 0; part < 10; part += 1) {
    const { actions, isPart, status } = decided([...copies.values()]);
    expect(actions.length).toBeLessThanOrEqual(MOST_WRITES);
    expect(status.desired).toBe(COUNT - 1);
    expect(status.succeeded).toBe(names.slice(1).filter((name) => isRed(copies.get(name))).length);
    for (const { do: what, namespace = '' } of actions)
      if (what === 'delete') copies.delete(namespace);
      else copies.set(namespace, copyIn(namespace, 'red'));
    written += actions.length;
    expect(isPart === true, 'only while more is to be written').toBe(written < writes);
    if (isPart !== true) break;
  }
  expect([written, copies.size, copies.has('team-0')]).toEqual([writes, COUNT - 1, false]);
});

test('after a failure each one is tried, so that some that fail hold no other up', () => {
  const { actions, isPart } = decided([], true);
  expect([actions.length, isPart]).toEqual([COUNT - 1, undefined]);
});

function isRed(copy: KubeObject | undefined): boolean {
  return (copy?.['data'] as { color?: string } | undefined)?.color === 'red';
}
