import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';
import { approve, command, podIn } from './selection-steps.ts';

const NAME = 'kubernetes.io/metadata.name';
const ALL = [{ id: 'all', update: { to: '100%' } }];
const GATED = [{ id: 'agree', approve: {} }, ...ALL];
const NEW_PODS = 'plan.kruise.io/NewPods';

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

const inShop: JsonObject = { namespaceSelector: { matchLabels: { [NAME]: 'shop' } } };
const inBoth: JsonObject = {
  namespaceSelector: { matchExpressions: [{ key: NAME, operator: 'In', values: ['shop', 'other'] }] },
};
const ofWeb: JsonObject = {};
const ofBoth: JsonObject = {
  selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'api'] }] },
};

/** How each selection is widened, and the pod that only the wider one selects. */
const WIDENED: [what: string, before: JsonObject, after: JsonObject, namespace: string, app: string][] = [
  ['without namespaceSelector', inShop, {}, 'other', 'web'],
  ['to a further namespace', inShop, inBoth, 'other', 'web'],
  ['to further labels of pods', ofWeb, ofBoth, 'shop', 'api'],
];

const pod = (name: string, namespace?: string, app?: string): Promise<string> =>
  podIn(cluster, name, namespace, app);

async function ready(spec: JsonObject, policy?: 'Auto'): Promise<void> {
  cluster = await sidecarWorld(policy && { policy });
  await cluster.set('log:1', undefined, spec);
  expect(await pod('first')).toBe('log:1');
}

describe('in Required, which pods get sidecars is what a plan has stated', () => {
  test.each(WIDENED)(
    'a selection that git widens %s lets no pod in',
    async (_what, before, after, ns, app) => {
      await ready(before);
      await cluster.set('log:1', undefined, after);
      expect(await pod('new', ns, app)).toBe('none');
      expect(await pod('second')).toBe('log:1');
      expect(await cluster.condition(NEW_PODS)).toMatchObject({ reason: 'SelectionUnplanned' });
      expect(await cluster.status()).toMatchObject({ matchedPods: 2 });
      expect(await cluster.condition('plan.kruise.io/Missed')).toBeUndefined();
    },
  );

  test.each(WIDENED)(
    '%s a plan that states it lets them in at its end',
    async (_what, before, after, ns, app) => {
      await ready(before);
      await cluster.set('log:1', GATED, after);
      await cluster.until('AwaitingApproval');
      expect(await pod('early', ns, app)).toBe('none');
      await approve(cluster);
      await cluster.until('Succeeded');
      expect(await pod('late', ns, app)).toBe('log:1');
      expect(await cluster.condition(NEW_PODS)).toBeUndefined();
    },
  );

  test.each(WIDENED)(
    'what was widened %s and git takes back leaves at once',
    async (_what, narrow, wide, ns, app) => {
      await ready(wide);
      expect(await pod('before', ns, app)).toBe('log:1');
      await cluster.set('log:1', undefined, narrow);
      expect(await pod('after', ns, app)).toBe('none');
      expect(await pod('second')).toBe('log:1');
    },
  );

  test('a set that selected no pod gets its pods with the last step of a plan', async () => {
    cluster = await sidecarWorld();
    await cluster.set('log:1', undefined, { selector: { matchLabels: { app: 'none' } } });
    await cluster.set('log:2', GATED, {});
    await cluster.until('AwaitingApproval');
    expect(await pod('early')).toBe('none');
    await approve(cluster);
    await cluster.clock.advance(10_000);
    expect(await pod('late')).toBe('log:2');
    await cluster.until('Succeeded');
    expect(await pod('later')).toBe('log:2');
  });

  test('a plan that has let pods in takes them back, too, where somebody reverts it', async () => {
    await ready(inShop);
    await cluster.set('log:2', [...ALL, { id: 'agree', approve: {} }], {});
    await cluster.until('AwaitingApproval');
    for (const name of ['wide', 'broad', 'vast']) expect(await pod(name, 'other')).toBe('log:2');
    await command(cluster, { action: 'Revert' });
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 4 });
    expect(await pod('late', 'other')).toBe('none');
    await cluster.clock.advance(60_000);
    // They have its containers, and the manifest selects them still.
    expect(await cluster.status()).toMatchObject({ matchedPods: 4 });
  });

  test('git takes a plan back, and what was on record before holds again', async () => {
    await ready(inShop);
    await cluster.set('log:2', ALL, {});
    await cluster.until('Succeeded');
    expect(await pod('wide', 'other')).toBe('log:2');
    await cluster.set('log:1', undefined, inShop);
    await cluster.until('Reverted');
    expect(await pod('back', 'other')).toBe('none');
    await cluster.set('log:1', undefined, {});
    expect(await pod('again', 'other')).toBe('none');
    expect(await pod('second')).toBe('log:1');
  });

  test('nobody widens it by a label of a namespace that no plan has stated', async () => {
    const labeled: JsonObject = { namespaceSelector: { matchLabels: { mesh: 'on' } } };
    await ready(inShop);
    await cluster.user.patch(
      resources.Namespace,
      { name: 'other' },
      { type: 'merge', body: { metadata: { labels: { mesh: 'on' } } } },
    );
    await cluster.set('log:1', undefined, labeled);
    expect(await pod('new', 'other')).toBe('none');
  });
});

describe('what is on record', () => {
  test('in Auto follows the manifest, unless the set comes to select a namespace that is Required', async () => {
    await ready(inShop, 'Auto');
    await cluster.set('log:1', undefined, ofBoth);
    expect(await pod('api', 'other', 'api')).toBe('log:1');
    await cluster.set('log:1', undefined, inShop);
    await cluster.user.patch(
      resources.Namespace,
      { name: 'other' },
      { type: 'merge', body: { metadata: { annotations: { 'plan.kruise.io/policy': 'Required' } } } },
    );
    await cluster.set('log:1', undefined, {});
    expect(await pod('new', 'other')).toBe('none');
  });

  test('of a set that has changed before anything was recorded is nothing in Required, and new pods get nothing', async () => {
    cluster = await sidecarWorld({ start: () => ({ start: () => undefined, stop: () => undefined }) });
    await cluster.set('log:1');
    expect(await pod('first')).toBe('log:1');
    await cluster.set('log:2');
    expect(await pod('second')).toBe('none');
  });

  test('does not follow from annotations of pods that are older than the set', async () => {
    cluster = await sidecarWorld({
      start: (options) => createRuntime({ ...options, adopt: false }),
    });
    await cluster.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'forged',
        namespace: 'other',
        labels: { app: 'web' },
        annotations: {
          'kruise.io/sidecarset-hash': JSON.stringify({ log: { hash: 'x', sidecarSetName: 'log' } }),
          'kruise.io/sidecarset-injected-list': 'log',
        },
      },
      spec: { containers: [{ name: 'log', image: 'log:0' }] },
    });
    await cluster.set('log:1');
    expect(await cluster.condition('plan.kruise.io/Held')).toBeUndefined();
    expect(await pod('first')).toBe('log:1');
    await cluster.set('log:2');
    expect(await pod('second')).toBe('log:1');
    expect(await cluster.condition('plan.kruise.io/Held')).toMatchObject({ reason: 'NoPlan' });
  });
});
