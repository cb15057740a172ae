import { expect, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import { createWorld } from '../world.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { definitions, noon, stage } from './world.ts';

const at = { namespace: 'default', name: 'web' };
const served = (version: string): Resource => ({ ...resources.CloneSet, version });
const cloneSet = (version: string, updateStrategy?: JsonObject): KubeObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'CloneSet',
  metadata: at,
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    ...(updateStrategy === undefined ? {} : { updateStrategy }),
  },
});
const numbers = { partition: 0, maxUnavailable: '20%', maxSurge: 0 };
const beside = { ...numbers, inPlaceUpdateStrategy: {} };
const strategyOf = (object: KubeObject) => (object['spec'] as JsonObject)['updateStrategy'];
const cluster = () => createWorld({ clock: createVirtualClock(noon), crds }).cluster('alice');

test.each<[string, JsonObject | undefined, JsonObject]>([
  ['v1alpha1', undefined, { type: 'ReCreate', ...beside }],
  ['v1alpha1', { partition: 3 }, { type: 'ReCreate', ...beside, partition: 3 }],
  [
    'v1alpha1',
    { type: 'InPlaceOnly', inPlaceUpdateStrategy: { gracePeriodSeconds: 3 } },
    { type: 'InPlaceOnly', ...numbers, inPlaceUpdateStrategy: { gracePeriodSeconds: 3 } },
  ],
  ['v1beta1', undefined, { type: 'RollingUpdate', ...numbers }],
  ['v1beta1', { type: 'OnDelete' }, { type: 'OnDelete', ...numbers }],
  [
    'v1beta1',
    { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } },
    {
      type: 'RollingUpdate',
      ...numbers,
      rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', inPlaceUpdateStrategy: {} },
    },
  ],
])('%s with the strategy %j is read back with its defaults', async (version, written, shown) => {
  const alice = cluster();
  await alice.create(served(version), cloneSet(version, written));
  expect(strategyOf(await alice.get(served(version), at))).toEqual(shown);
});

test('what was written at one version keeps that default at the other, and when it is written back', async () => {
  const alice = cluster();
  await alice.create(served('v1alpha1'), cloneSet('v1alpha1'));
  const beta = await alice.get(served('v1beta1'), at);
  expect(strategyOf(beta)).toEqual({ type: 'ReCreate', ...beside });
  expect(await alice.replace(served('v1beta1'), beta)).toEqual(beta);
});

test.each(['v1alpha1', 'v1beta1'])('%s: a second apply of the same changes nothing', async (version) => {
  const alice = cluster();
  const { metadata, ...rest } = cloneSet(version, { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } });
  const apply = () =>
    alice.patch(
      served(version),
      at,
      { type: 'apply', body: { ...rest, metadata } as unknown as JsonObject, force: false },
      { fieldManager: 'argocd' },
    );
  const first = await apply();
  expect(await apply()).toEqual(first);
});

test('an object that was stored without a field is shown with the default of the version it was stored at', async () => {
  const { alice } = stage({ crds: [gadgetDefinition()] });
  const gadgets: Resource = {
    group: 'example.com',
    version: 'v2',
    plural: 'gadgets',
    kind: 'Gadget',
    namespaced: true,
  };
  const body = { apiVersion: 'example.com/v2', kind: 'Gadget', metadata: at, spec: {} };
  await alice.create(gadgets, body);
  const definition = await alice.get(definitions, { name: 'gadgets.example.com' });
  await alice.replace(definitions, {
    ...definition,
    ...gadgetDefinition({ v1: 'old', v2: 'new' }),
    metadata: definition.metadata,
  });
  for (const version of ['v1', 'v2'])
    expect(await alice.get({ ...gadgets, version }, at)).toMatchObject({ spec: { size: 'new' } });
});

/** A kind at two versions, v2 stored, with these defaults of its one field. */
function gadgetDefinition(defaults: Record<string, string> = {}): KubeObject {
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === 'v2',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'string', ...(name in defaults ? { default: defaults[name] } : {}) },
            },
          },
        },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
      versions: ['v1', 'v2'].map(version),
    },
  };
}
