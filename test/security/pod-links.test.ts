import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { RUNTIME, shippedWorld } from './shipped.ts';

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: '1', controller: true };
const pod = (name: string, metadata: object = {}, namespace = 'shop'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: 'web' }, ownerReferences: [owner], ...metadata },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
});

const { world, replaces } = shippedWorld();
const made = world.server.create('admin', resources.Pod, pod('web'));
const elsewhere = world.server.create('admin', resources.Pod, pod('engine', {}, 'argocd'));

/** The pod with other metadata, or another spec. */
const changed = (of: KubeObject, metadata: object, spec: JsonObject = {}): KubeObject => ({
  ...of,
  metadata: { ...of.metadata, ...metadata },
  spec: { ...(of['spec'] as JsonObject), ...spec },
});
const LINKS = { 'pub.kruise.io/related-pub': 'web', 'kruise.io/related-pub': 'web' };

describe('the stolen token, and a pod of a Deployment', () => {
  const refused =
    /^refused: .* may write only objects that a workload of apps.kruise.io controls, and web is none$/;

  test('may name the budget of the pod', () => {
    expect(replaces(RUNTIME, resources.Pod, changed(made, { annotations: LINKS }))).toBe('allowed');
  });

  test.each<[string, KubeObject]>([
    ['another annotation', changed(made, { annotations: { ...LINKS, 'example.com/a': 'b' } })],
    ['a label besides', changed(made, { annotations: LINKS, labels: { app: 'web', more: 'x' } })],
    ['no owner besides', changed(made, { annotations: LINKS, ownerReferences: [] })],
    [
      'another image besides',
      changed(made, { annotations: LINKS }, { containers: [{ name: 'main', image: 'x:1' }] }),
    ],
  ])('may not write %s', (_what, object) => {
    expect(replaces(RUNTIME, resources.Pod, object)).toMatch(refused);
  });

  test('may not do it where a GitOps engine runs', () => {
    expect(replaces(RUNTIME, resources.Pod, changed(elsewhere, { annotations: LINKS }))).toMatch(
      /^refused: the runtime manages no workload of apps.kruise.io in namespace argocd/,
    );
  });
});
