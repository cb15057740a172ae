import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';

const at = { namespace: 'default', name: 'web' };
const cluster = (): Cluster => createWorld({ clock: createVirtualClock(0), crds }).cluster('alice');

/** An object with this strategy, as it is stored. */
async function stored(version: string, updateStrategy?: JsonObject): Promise<JsonObject> {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const object = await cluster().create(
    { ...resources.CloneSet, version },
    {
      apiVersion: `apps.kruise.io/${version}`,
      kind: 'CloneSet',
      metadata: at,
      spec: {
        selector: { matchLabels: labels },
        template,
        ...(updateStrategy !== undefined && { updateStrategy }),
      },
    },
  );
  return objectOf(objectOf(object['spec'])['updateStrategy']);
}

const LIMITS = { partition: 0, maxUnavailable: '20%', maxSurge: 0 };

describe('what a user writes is stored as OpenKruise stores it', () => {
  test.each<[string, string, JsonObject]>([
    ['beside the type', 'v1alpha1', { type: 'InPlaceIfPossible', ...LIMITS, inPlaceUpdateStrategy: {} }],
    [
      'within rollingUpdate',
      'v1beta1',
      {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', ...LIMITS, inPlaceUpdateStrategy: {} },
      },
    ],
    ['rollingUpdate itself', 'v1beta1', { type: 'RollingUpdate', rollingUpdate: {} }],
  ])('defaults that are written out, %s', async (_what, version, written) => {
    expect(await stored(version, written)).toMatchObject(written);
  });

  test('a limit that is left out, or a whole percentage; 33.3% and an empty type are refused', async () => {
    expect(await stored('v1beta1')).toMatchObject({ maxUnavailable: '20%' });
    for (const maxUnavailable of ['33%', 1]) {
      const strategy = { type: 'RollingUpdate', maxUnavailable };
      expect(await stored('v1beta1', strategy)).toMatchObject({ maxUnavailable });
    }
    await expect(stored('v1beta1', { maxUnavailable: '33.3%' })).rejects.toThrow('33.3%');
    await expect(stored('v1beta1', { type: '' })).rejects.toThrow('updateStrategy.type');
  });
});

/** The definition without the defaults of one field, as OpenKruise has it. */
function withoutDefaults(definition: KubeObject, field: string): KubeObject {
  const text = JSON.stringify(definition, function (this: unknown, key, value: unknown) {
    return key === field
      ? JSON.parse(JSON.stringify(value, (name, each: unknown) => (name === 'default' ? undefined : each)))
      : value;
  });
  return JSON.parse(text) as KubeObject;
}

test('a StatefulSet with OnDelete loses its rollingUpdate by a patch, once the definition of OpenKruise is back', async () => {
  const labels = { app: 'web' };
  const updateStrategy = { type: 'OnDelete' };
  const spec = {
    serviceName: 'web',
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    updateStrategy,
  };
  const alice = cluster();
  const { apiVersion, kind } = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' };
  await alice.create(resources.StatefulSet, { apiVersion, kind, metadata: at, spec });
  const patched = async (): Promise<unknown> => {
    const body = [{ op: 'remove' as const, path: '/spec/updateStrategy/rollingUpdate' }];
    const { spec: found } = await alice.patch(resources.StatefulSet, at, { type: 'json', body });
    return objectOf(found)['updateStrategy'];
  };
  // The definition of this project writes it again.
  expect(await patched()).toEqual({ ...updateStrategy, rollingUpdate: expect.anything() as unknown });
  const name = 'statefulsets.apps.kruise.io';
  const present = await alice.get(resources.CustomResourceDefinition, { name });
  await alice.replace(resources.CustomResourceDefinition, withoutDefaults(present, 'rollingUpdate'));
  expect(await patched()).toEqual(updateStrategy);
});
