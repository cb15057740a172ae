import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindSamples, type KindSample } from './everyKind.ts';
import { refusalOf, stage } from './world.ts';

const all = kindSamples();

/** An object created from its manifest, in a world without controllers. */
function own({ resource, manifest }: KindSample) {
  const { world, clock } = stage({ nodes: 0, kubeletsByHand: false });
  const { server } = world;
  const { name, namespace } = manifest.metadata;
  const at = namespace === undefined ? { name } : { name, namespace };
  const patch = (type: 'apply' | 'merge' | 'strategic', fieldManager: string, force = false) =>
    server.patch(
      'alice',
      resource,
      at,
      { type, body: manifest as unknown as JsonObject, ...(type === 'apply' ? { force } : {}) },
      { fieldManager },
    );
  return {
    at,
    clock,
    now: () => server.get('alice', resource, at),
    made: server.create('alice', resource, manifest, { fieldManager: 'm1' }),
    put: (metadata: object = {}) =>
      server.replace(
        'alice',
        resource,
        { ...manifest, metadata: { ...manifest.metadata, ...metadata } },
        { fieldManager: 'm1', at },
      ),
    patch,
  };
}

const stateOf = ({ metadata: { resourceVersion, generation } }: KubeObject) => ({
  resourceVersion,
  generation,
});

/** Kinds whose PUT requires a resourceVersion, as in Kubernetes 1.35. */
const needRevision = [
  'apiservices.apiregistration.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'leases.coordination.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'poddisruptionbudgets.policy',
  'runtimeclasses.node.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'volumeattachments.storage.k8s.io',
];

/** Values added on creation that a PUT of these kinds removes: finalizers, and the selector of a Job. */
const changedByPut = ['persistentvolumeclaims', 'persistentvolumes', 'jobs.batch'];

describe('an object and its own manifest', () => {
  const puts = all.filter(({ id }) => !changedByPut.includes(id));
  test.each(puts.map((sample) => [sample.id, sample] as const))('%s: PUT changes nothing', (_id, sample) => {
    const it = own(sample);
    const { resourceVersion } = it.made.metadata;
    expect(stateOf(it.put({ resourceVersion }))).toEqual(stateOf(it.made));
  });

  test.each(all.map((sample) => [sample.id, sample] as const))(
    '%s: patches change nothing',
    (_id, sample) => {
      const it = own(sample);
      expect(stateOf(it.patch('merge', 'm1'))).toEqual(stateOf(it.made));
      if (sample.id !== 'controllerrevisions.apps')
        expect(stateOf(it.patch('strategic', 'm1'))).toEqual(stateOf(it.made));
    },
  );

  test.each(all.map((sample) => [sample.id, sample] as const))(
    '%s: an apply by another manager changes managers alone, and changes nothing when it is repeated',
    async (_id, sample) => {
      const it = own(sample);
      const first = it.patch('apply', 'm2', true);
      const body = ({
        metadata: { managedFields: _fields, resourceVersion: _revision, ...metadata },
        ...rest
      }: KubeObject) => ({ ...rest, metadata });
      expect(body(first)).toEqual(body(it.made));
      await it.clock.advance(5000);
      const before = stateOf(it.now());
      expect(stateOf(it.patch('apply', 'm2'))).toEqual(before);
    },
  );

  test('a PUT of a claim or a volume removes only its protection finalizer', () => {
    for (const sample of all.filter(({ id }) => id.startsWith('persistentvolume'))) {
      const it = own(sample);
      expect(it.made.metadata.finalizers).toHaveLength(1);
      const next = it.put();
      expect(next.metadata.finalizers).toBeUndefined();
      expect(next['spec']).toEqual(it.made['spec']);
    }
  });

  test.each(all.map((sample) => [sample.id, needRevision.includes(sample.id), sample] as const))(
    '%s: that a PUT has to say its resourceVersion is %s',
    (id, needs, sample) => {
      const it = own(sample);
      if (id === 'jobs.batch') return;
      if (!needs) {
        expect(it.put().metadata.uid).toBe(it.made.metadata.uid);
        expect(it.put({ resourceVersion: '0' }).metadata.uid).toBe(it.made.metadata.uid);
        return;
      }
      for (const metadata of [{}, { resourceVersion: '' }, { resourceVersion: '0' }]) {
        const { code, message, details } = refusalOf(() => it.put(metadata));
        const { plural, group } = sample.resource;
        expect(code).toBe(422);
        expect(message).toBe(
          `${plural}.${group} "${it.at.name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
        );
        expect(details).toEqual({
          name: it.at.name,
          group,
          kind: plural,
          causes: [
            {
              reason: 'FieldValueInvalid',
              message: 'Invalid value: 0: must be specified for an update',
              field: 'metadata.resourceVersion',
            },
          ],
        });
      }
    },
  );
});
