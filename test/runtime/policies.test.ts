import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createPolicies } from '../../runtime/observe/policies.ts';

const namespace = (uid: string, deletionTimestamp?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', uid, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
});
const AT = '2026-01-01T00:00:00Z';

test('a namespace is known to be ending from its deletion to its end, and that is a change for its targets', () => {
  const policies = createPolicies();
  expect(policies.file(policies.keep(namespace('a')), false).own).toBe(false);
  expect(policies.isTerminating('shop')).toBe(false);
  expect(policies.file(policies.keep(namespace('a', AT)), false).own).toBe(true);
  expect(policies.file(policies.keep(namespace('a', AT)), false).own).toBe(false);
  expect(policies.isTerminating('shop')).toBe(true);
  policies.file(namespace('a', AT), true);
  expect(policies.isTerminating('shop')).toBe(false);
});

test('an answer of the server holds against an older state, and not for the next namespace of that name', () => {
  const policies = createPolicies();
  policies.file(namespace('a'), false);
  policies.noteTerminating('shop');
  policies.file(namespace('a'), false);
  expect(policies.isTerminating('shop')).toBe(true);
  policies.file(namespace('b'), false);
  expect(policies.isTerminating('shop')).toBe(false);
});
