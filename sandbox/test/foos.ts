import type { KubeObject } from '../../schemas/wire/object.ts';

type Spec = Record<string, unknown> & { names: Record<string, unknown>; versions: Record<string, unknown>[] };

/** A modified copy of a small definition. */
export function foo(change: (spec: Spec, object: KubeObject) => void = () => {}): KubeObject {
  const spec: Spec = {
    group: 'crd.example',
    scope: 'Namespaced',
    names: { plural: 'foos', kind: 'Foo' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  };
  const object: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.crd.example' },
    spec,
  };
  change(spec, object);
  return object;
}

/** The small definition with a modified version. */
export const withVersion = (change: (version: Record<string, unknown>) => void) =>
  foo(({ versions: [first] }) => first !== undefined && change(first));

export const named = { name: 'foos.crd.example' };

export const foos = { group: 'crd.example', version: 'v1', plural: 'foos', kind: 'Foo', namespaced: true };

export const aFoo = (name: string, more: object = {}) =>
  ({
    apiVersion: 'crd.example/v1',
    kind: 'Foo',
    metadata: { name, namespace: 'default', ...more },
  }) as KubeObject;
