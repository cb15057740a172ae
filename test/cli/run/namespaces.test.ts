import { expect, test } from 'vitest';
import { namespacesOf } from '../../../cli/run/namespaces.ts';

const inPod = { namespace: 'ops', isOfPod: true };
const byContext = { namespace: 'shop' };
const nowhere = { namespace: undefined };
const plain = { leaseNamespace: undefined, namespace: undefined };

test.each([
  ['a pod', plain, inPod, 'ops', 'ops'],
  ['a context', plain, byContext, 'shop', 'kruise-system'],
  ['neither', plain, nowhere, 'default', 'kruise-system'],
  ['one namespace', { ...plain, namespace: 'web' }, nowhere, 'web', 'kruise-system'],
  ['a name, in a pod', { ...plain, leaseNamespace: 'x' }, inPod, 'x', 'x'],
  ['a name, with a context', { ...plain, leaseNamespace: 'x' }, byContext, 'x', 'x'],
])('the Lease and the records of %s', (_what, options, connection, lease, records) => {
  expect(namespacesOf(options, connection)).toEqual({ lease, records });
});

test('two processes outside of a cluster have their records in one place, whatever their contexts are', () => {
  const all = [byContext, nowhere, { namespace: 'billing' }].map((each) => namespacesOf(plain, each).records);
  expect(new Set(all).size).toBe(1);
});
