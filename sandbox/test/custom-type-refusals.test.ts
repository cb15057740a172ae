import { describe, expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { Json } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, refusal, stage } from './world.ts';

/** `field: message` of each cause in the error for a CloneSet with this spec. */
async function causes(spec: Record<string, Json>): Promise<string[]> {
  const { alice } = stage({ nodes: 0, crds });
  const cloneSet = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: pod('p')['spec'] as Json },
      ...spec,
    },
  };
  const { details } = await refusal(alice.create(resources.CloneSet, cloneSet));
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

const unchecked =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

describe('replicas that the scale subresource cannot read are reported twice', () => {
  test.each<[Json, string, string]>([
    ['x y', 'string', 'x y is of the type string'],
    [true, 'boolean', 'true is of the type bool'],
    [1.5, 'number', '1.5 is of the type float64'],
    [['a', 1], 'array', '[a 1] is of the type []interface {}'],
    [{ b: 1 }, 'object', 'map[] is of the type map[string]interface {}'],
  ])('%j', async (replicas, type, read) => {
    expect(await causes({ replicas })).toEqual([
      `spec.replicas: Invalid value: "${type}": spec.replicas in body must be of type integer: "${type}"`,
      `.spec.replicas: Invalid value: 0: .spec.replicas accessor error: ${read}, expected int64`,
      unchecked,
    ]);
  });
});

test.each<[Json, string]>([
  [[], 'array'],
  [{}, 'object'],
  [true, 'boolean'],
  [1.5, 'number'],
])(
  'what is neither integer nor string says so, and what anyOf says of it: %j',
  async (maxUnavailable, type) => {
    const path = 'spec.updateStrategy.rollingUpdate.maxUnavailable';
    expect(await causes({ updateStrategy: { rollingUpdate: { maxUnavailable } } })).toEqual([
      `${path}: Invalid value: "${type}": ${path} in body must be of type integer,string: "${type}"`,
      `<nil>: Invalid value: "": "${path}" must validate at least one schema (anyOf)`,
      `${path}: Invalid value: "${type}": ${path} in body must be of type integer: "${type}"`,
      unchecked,
    ]);
  },
);
