import { describe, expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { controllerId, controllerReference, isOwnedBy, ownerId } from '../../semantics/owner.ts';

const target = (namespace?: string): KubeObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', uid: 'uid-1', ...(namespace !== undefined && { namespace }) },
});

const owned = (
  reference: Partial<OwnerReference>,
  owner: KubeObject,
  namespace: string | undefined,
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-1',
    ...(namespace !== undefined && { namespace }),
    ownerReferences: [{ ...controllerReference(owner), ...reference }],
  },
});

describe('an object is owned only where every part of its reference matches', () => {
  test.each<[string, Partial<OwnerReference>, string, boolean]>([
    ['every part', {}, 'shop', true],
    ['another version of the group', { apiVersion: 'apps.kruise.io/v1alpha1' }, 'shop', true],
    ['another namespace', {}, 'bank', false],
    ['another uid', { uid: 'uid-2' }, 'shop', false],
    ['another name', { name: 'api' }, 'shop', false],
    ['another kind', { kind: 'StatefulSet' }, 'shop', false],
    ['another group', { apiVersion: 'apps/v1' }, 'shop', false],
    ['a reference that is no controller', { controller: false }, 'shop', false],
  ])('%s', (_, reference, namespace, expected) => {
    const owner = target('shop');
    const object = owned(reference, owner, namespace);
    expect(isOwnedBy(object, owner)).toBe(expected);
    expect(controllerId(object) === ownerId(owner)).toBe(expected);
  });

  test('a cluster-scoped controller owns objects in any namespace', () => {
    const owner = target();
    for (const namespace of ['shop', undefined]) {
      const object = owned({}, owner, namespace);
      expect(isOwnedBy(object, owner)).toBe(true);
      expect(controllerId(object, () => true)).toBe(ownerId(owner));
    }
  });

  test('an object without any reference has no owner, and a target without uid owns none that names one', () => {
    const owner = target('shop');
    expect(isOwnedBy({ ...owner, metadata: { name: 'a', namespace: 'shop' } }, owner)).toBe(false);
    const { uid: _, ...metadata } = owner.metadata;
    expect(isOwnedBy(owned({}, owner, 'shop'), { ...owner, metadata })).toBe(false);
  });
});
