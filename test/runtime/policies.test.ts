import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createPolicies } from '../../runtime/observe/policies.ts';

const namespace = (uid: string, deletionTimestamp?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', uid, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
});
const AT = '2026-01-01T00:00:00Z';

test('a namespace is known to be ending from its deletion to its end, and both are a change for its targets', () => {
  const policies = createPolicies(() => {});
  expect(policies.file(policies.keep(namespace('a')), false).own).toBe(false);
  expect(policies.isTerminating('shop')).toBe(false);
  expect(policies.file(policies.keep(namespace('a', AT)), false).own).toBe(true);
  expect(policies.file(policies.keep(namespace('a', AT)), false).own).toBe(false);
  expect(policies.isTerminating('shop')).toBe(true);
  expect(policies.file(namespace('a', AT), true).own).toBe(true);
  expect(policies.isTerminating('shop')).toBe(false);
  expect(policies.file(namespace('b'), false).own).toBe(false);
});

test('an answer of the server holds against an older state, and not for the next namespace of that name', () => {
  const noted: string[] = [];
  const policies = createPolicies((name) => noted.push(name));
  policies.file(namespace('a'), false);
  for (let answer = 0; answer < 2; answer += 1) policies.noteTerminating('shop');
  expect(noted).toEqual(['shop']);
  expect(policies.file(namespace('a'), false).own).toBe(false);
  expect(policies.isTerminating('shop')).toBe(true);
  expect(policies.file(namespace('b'), false).own).toBe(true);
  expect(policies.isTerminating('shop')).toBe(false);
});
