import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
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
