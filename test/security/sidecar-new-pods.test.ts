import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

const ALL = [{ id: 'all', update: { to: '100%' } }];

/** The image of the sidecar of a pod; undefined: it has none. */
async function imageOf(name: string): Promise<string | undefined> {
  const pod = (await cluster.pods()).find(({ metadata }) => metadata.name === name);
  return pod?.spec.containers.find((each) => each.name === 'log')?.image;
}

/** The name of the newest revision of the set. */
async function newestRevision(): Promise<string> {
  const { items } = await cluster.user.list(resources.ControllerRevision, {});
  const [newest] = items.sort((a, b) => Number(b['revision']) - Number(a['revision']));
  return newest?.metadata.name ?? '';
}

const pinning = (revision: JsonObject): JsonObject => ({ injectionStrategy: { revision } });

describe('a commit that pins its own change does not give it to new pods ahead of a plan', () => {
  test.each<[what: string, spec: JsonObject]>([
    ['by its custom version', { customVersion: 'v2', ...pinning({ customVersion: 'v2' }) }],
    [
      'by the custom version of the revision before, which the new one takes over',
      { customVersion: 'v1', ...pinning({ customVersion: 'v1' }) },
    ],
    [
      'by leaving the pods out that get the revision before',
      { customVersion: 'v2', ...pinning({ customVersion: 'v1', policy: 'Partial' }) },
    ],
    [
      'by a share of none for the revision before',
      {
        customVersion: 'v2',
        ...pinning({ customVersion: 'v1', policy: 'Partial' }),
        updateStrategy: { partition: '0%' },
      },
    ],
  ])('%s', async (_what, spec) => {
    cluster = await sidecarWorld();
    await cluster.set('log:1', undefined, { customVersion: 'v1' });
    await cluster.set('log:2', undefined, spec);
    await cluster.bare('new');
    expect(await imageOf('new')).toBe('log:1');
  });

  test('by its name, which follows from its content', async () => {
    cluster = await sidecarWorld();
    await cluster.set('log:1');
    await cluster.set('log:2');
    const revisionName = await newestRevision();
    await cluster.set('log:2', undefined, pinning({ revisionName }));
    await cluster.bare('new');
    expect(await imageOf('new')).toBe('log:1');
    expect(await cluster.condition('plan.kruise.io/NewPods')).toMatchObject({
      reason: 'PinUnfinished',
      message: expect.stringContaining(`no plan has completed ${revisionName}`) as string,
    });
  });

  test('and a plan that completes it makes the pin count', async () => {
    cluster = await sidecarWorld();
    await cluster.set('log:1', undefined, { customVersion: 'v1' });
    await cluster.deployment('web', 1);
    await cluster.set('log:2', ALL, { customVersion: 'v2', ...pinning({ customVersion: 'v2' }) });
    await cluster.until('Succeeded');
    await cluster.set('log:3', undefined, { customVersion: 'v3', ...pinning({ customVersion: 'v2' }) });
    await cluster.bare('new');
    expect(await imageOf('new')).toBe('log:2');
    expect(await cluster.condition('plan.kruise.io/NewPods')).toBeUndefined();
  });
});

describe('a revision that a selector kept from some new pods is none that a commit may pin', () => {
  const within = (version: string): JsonObject => ({
    customVersion: version,
    updateStrategy: { selector: { matchLabels: { track: 'canary' } } },
  });

  /** `log:2` is stable, and only new pods with the label get it. */
  async function canary(): Promise<void> {
    cluster = await sidecarWorld();
    await cluster.set('log:1', undefined, { customVersion: 'v1' });
    await cluster.deployment('web', 1);
    await cluster.deployment('canary', 1, { track: 'canary' });
    await cluster.set('log:2', ALL, within('v2'));
    await cluster.until('Succeeded');
    await cluster.bare('before');
    expect(await imageOf('before')).toBe('log:1');
  }

  test('while it is the stable one', async () => {
    await canary();
    await cluster.set('log:2', undefined, { ...within('v2'), ...pinning({ customVersion: 'v2' }) });
    await cluster.bare('new');
    expect(await imageOf('new')).toBe('log:1');
    expect((await cluster.condition('plan.kruise.io/NewPods'))?.reason).toBe('PinUnfinished');
  });

  // Running pods follow the stable revision, so that only the condition tells what the webhook gives.
  const reason = async (): Promise<string | undefined> =>
    (await cluster.condition('plan.kruise.io/NewPods'))?.reason;

  test('nor later, when another one is stable for all', async () => {
    await canary();
    await cluster.set('log:3', ALL, { customVersion: 'v3' });
    await cluster.until('Succeeded');
    await cluster.set('log:3', undefined, { customVersion: 'v3', ...pinning({ customVersion: 'v2' }) });
    expect(await reason()).toBe('PinUnfinished');
  });

  test('nor while the plan after it has yet to end', async () => {
    await canary();
    await cluster.set('log:3', [...ALL, { id: 'agree', approve: {} }], { customVersion: 'v3' });
    await cluster.until('AwaitingApproval');
    await cluster.clock.advance(30_000);
    await cluster.set('log:3', undefined, { customVersion: 'v3', ...pinning({ customVersion: 'v2' }) });
    expect(await reason()).toBe('PinUnfinished');
  });

  test('nor where an older runtime completed it, which has written no mark', async () => {
    await canary();
    const { items } = await cluster.user.list(resources.ControllerRevision, {});
    for (const { metadata } of items)
      await cluster.user.patch(
        resources.ControllerRevision,
        { namespace: metadata.namespace ?? '', name: metadata.name },
        { type: 'merge', body: { metadata: { annotations: { 'plan.kruise.io/partial': null } } } },
      );
    await cluster.clock.advance(10_000);
    await cluster.set('log:3', ALL, { customVersion: 'v3' });
    await cluster.until('Succeeded');
    await cluster.set('log:3', undefined, { customVersion: 'v3', ...pinning({ customVersion: 'v2' }) });
    expect(await reason()).toBe('PinUnfinished');
  });

  test('and once a plan has led all pods there, it is one, whatever plan comes next', async () => {
    await canary();
    await cluster.set('log:2', ALL, { customVersion: 'v2' });
    await cluster.until('Succeeded');
    await cluster.set('log:3', ALL, { customVersion: 'v3' });
    await cluster.until('Succeeded');
    await cluster.set('log:3', undefined, { customVersion: 'v3', ...pinning({ customVersion: 'v2' }) });
    expect(await reason()).toBeUndefined();
  });
});
