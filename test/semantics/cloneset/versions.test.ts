import { describe, expect, test } from 'vitest';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';
import { applyDefaults } from '../../../sandbox/schema/default.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { crdSpec } from '../../schemas/crd-fields.ts';

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
  const { versions } = crdSpec(definitionOfCloneSet());

  test.each(forms.flatMap((form) => versions.map(({ name, schema }) => [name, form, schema] as const)))(
    '%s, where somebody wrote %j',
    (_version, updateStrategy, { openAPIV3Schema }) => {
      const written = { spec: { updateStrategy } };
      const filled = applyDefaults(openAPIV3Schema, written) as { spec: JsonObject };
      expect(filled.spec['updateStrategy']).toHaveProperty('type');
      expect(read(filled.spec)).toEqual(read({ updateStrategy }));
    },
  );

  test.each<JsonObject>([
    { type: 'InPlaceIfPossible' },
    { type: 'InPlaceOnly', partition: 3 },
    { type: 'OnDelete' },
  ])('with an empty rollingUpdate, %j still counts in both versions', (beside) => {
    const updateStrategy = { ...beside, rollingUpdate: {} };
    for (const { schema } of versions) {
      const written = { spec: { updateStrategy } };
      const filled = applyDefaults(schema.openAPIV3Schema, written);
      expect(read((filled as { spec: JsonObject }).spec)).toEqual(read({ updateStrategy: beside }));
    }
  });
});

function definitionOfCloneSet(): KubeObject {
  const found = crds.find((each) => crdSpec(each).names.kind === 'CloneSet');
  if (found === undefined) throw new Error('no definition of CloneSet');
  return found;
}
