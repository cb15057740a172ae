import { createVirtualClock, createWorld, type Resource } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';

const read = (spec: JsonObject) =>
  normalizeCloneSet({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec,
  });
const weights = [{ weight: 10, matchSelector: { matchLabels: { team: 'a' } } }];

describe('a field with a different path in each version', () => {
  test.each<[string, JsonObject]>([
    ['partition', { partition: '30%' }],
    ['maxUnavailable', { maxUnavailable: 3 }],
    ['maxSurge', { maxSurge: '10%' }],
    ['paused', { paused: true }],
    ['grace period', { inPlaceUpdateStrategy: { gracePeriodSeconds: 7 } }],
    ['weights', { priorityStrategy: { weightPriority: weights } }],
    ['order', { priorityStrategy: { orderPriority: [{ orderedKey: 'rank' }] } }],
    ['scatter', { scatterStrategy: [{ key: 'zone', value: 'b' }] }],
  ])('%s: means the same, and that of v1beta1 counts where both are stored', (_field, window) => {
    const alpha = read({ updateStrategy: { type: 'InPlaceOnly', ...window } });
    const rollingUpdate = { podUpdatePolicy: 'InPlaceOnly', ...window };
    const beta = read({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
    expect(beta).toEqual(alpha);
    expect(alpha).not.toEqual(read({ updateStrategy: { type: 'InPlaceOnly' } }));
    const other = { partition: 1, maxUnavailable: 1, maxSurge: 1, paused: false, scatterStrategy: [] };
    const both = { ...other, priorityStrategy: {}, inPlaceUpdateStrategy: { gracePeriodSeconds: 1 } };
    const [key = ''] = Object.keys(window);
    const stored = { type: 'RollingUpdate', [key]: both[key as keyof typeof both], rollingUpdate };
    expect(read({ updateStrategy: stored })).toEqual(alpha);
  });

  test.each(['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'])('type %s is podUpdatePolicy', (policy) => {
    const alpha = read({ updateStrategy: { type: policy } });
    const rollingUpdate = { podUpdatePolicy: policy };
    expect(read({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } })).toEqual(alpha);
    expect([alpha.type, alpha.policy]).toEqual(['RollingUpdate', policy]);
  });

  test.each<[JsonObject, boolean]>([
    [{}, true],
    [{ disablePVCReuse: true }, false],
    [{ enablePVCReuse: false }, false],
    [{ disablePVCReuse: false }, true],
    [{ enablePVCReuse: true }, true],
    [{ disablePVCReuse: true, enablePVCReuse: false }, false],
    [{ disablePVCReuse: true, enablePVCReuse: true }, true],
    [{ disablePVCReuse: false, enablePVCReuse: false }, true],
  ])(
    'of %j: claims are reused: %s, so that no data is lost if they contradict each other',
    (scaleStrategy, reused) => {
      expect(read({ scaleStrategy }).reuseClaims).toBe(reused);
    },
  );
});

describe('the defaults of the definition mean the same as absence', () => {
  const forms: readonly JsonObject[] = [
    {},
    { partition: 2, maxUnavailable: 3, paused: true },
    { rollingUpdate: {} },
    { rollingUpdate: { partition: 2, maxSurge: 1 } },
    { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } },
    { partition: 1, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', partition: '50%' } },
    { partition: 1, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } },
  ];

  test.each(forms.flatMap((form) => VERSIONS.map((version) => [version, form] as const)))(
    '%s, where somebody wrote %j',
    async (version, updateStrategy) => {
      const filled = await createdAs(version, updateStrategy);
      expect(filled['updateStrategy']).toHaveProperty('type');
      expect(read(filled)).toEqual(read({ ...MINIMAL, updateStrategy }));
    },
  );

  test.each<JsonObject>([
    { type: 'InPlaceIfPossible' },
    { type: 'InPlaceOnly', partition: 3 },
    { type: 'OnDelete' },
  ])('with an empty rollingUpdate, %j still counts in both versions', async (beside) => {
    for (const version of VERSIONS) {
      const filled = await createdAs(version, { ...beside, rollingUpdate: {} });
      expect(read(filled)).toEqual(read({ ...MINIMAL, updateStrategy: beside }));
    }
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['partition', { partition: 3 }, { podUpdatePolicy: 'ReCreate' }],
    ['maxUnavailable', { maxUnavailable: 1 }, { partition: 1 }],
    ['maxSurge', { maxSurge: 2 }, { maxUnavailable: 0 }],
    ['policy', { type: 'InPlaceOnly' }, { partition: 1 }],
    ['grace period', { inPlaceUpdateStrategy: { gracePeriodSeconds: 3 } }, { partition: 1 }],
  ])(
    'a %s that v1alpha1 wrote still counts once v1beta1 has patched another field',
    async (_what, old, patch) => {
      const alice = cluster();
      await alice.create(served('v1alpha1'), cloneSet('v1alpha1', old));
      const body = { spec: { updateStrategy: { rollingUpdate: patch } } };
      const patched = await alice.patch(served('v1beta1'), at, { type: 'merge', body });
      expect(normalizeCloneSet(patched)).toEqual(
        normalizeCloneSet(cloneSet('v1beta1', { ...old, rollingUpdate: patch })),
      );
    },
  );
});

const VERSIONS = ['v1alpha1', 'v1beta1'];
const MINIMAL: JsonObject = {
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  },
};
const at = { namespace: 'default', name: 'web' };
const served = (version: string): Resource => ({ ...resources.CloneSet, version });
const cluster = () => createWorld({ clock: createVirtualClock(0), nodes: 0 }).cluster('alice');
const cloneSet = (version: string, updateStrategy: JsonObject): KubeObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'CloneSet',
  metadata: at,
  spec: { ...MINIMAL, updateStrategy },
});

/** The spec that a server stores of a CloneSet with this strategy. */
async function createdAs(version: string, updateStrategy: JsonObject): Promise<JsonObject> {
  const created = await cluster().create(served(version), cloneSet(version, updateStrategy));
  return created['spec'] as JsonObject;
}
