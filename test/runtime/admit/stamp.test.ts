import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock, type World } from 'kruise-sandbox';
import { reviewStamped } from '../../../runtime/admit/stamp.ts';
import { createRuntime } from '../../../runtime/runtime.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { sidecarSets } from '../../../semantics/sidecarset/resource.ts';
import { objectOf, textOf } from '../../../semantics/values/read.ts';
import { injectingWorld } from '../../fixtures/injecting-world.ts';
import { setOf, sidecar } from '../../semantics/sidecarset/model.ts';

const KEYS = ['kruise.io/sidecarset-hash', 'kruise.io/sidecarset-hash-without-image'] as const;

let world: World | undefined;
afterEach(() => world?.stop());

const hashesIn = ({ metadata }: KubeObject): (string | undefined)[] =>
  KEYS.map((key) => metadata.annotations?.[key]);

function responseTo(object: KubeObject): JsonObject {
  const request = { uid: 'u-1', operation: 'CREATE', object: object as unknown as JsonObject };
  return objectOf(reviewStamped({ request }, sidecarSetKind)['response']);
}

describe('the hashes of a SidecarSet (OpenKruise sidecarset, rule 7.1)', () => {
  test('are written when it is created and when it changes, beside its own annotations', async () => {
    const clock = createVirtualClock(0);
    world = injectingWorld(clock, { nodes: 0 });
    const user = world.cluster('user');
    const created = await user.create(sidecarSets, setOf('log', {}, { annotations: { team: 'a' } }));
    const first = hashesIn(created);
    expect(first.map((hash) => hash?.length)).toEqual([64, 64]);
    expect(created.metadata.annotations?.['team']).toBe('a');
    const changed = await user.patch(
      sidecarSets,
      { name: 'log' },
      {
        type: 'merge',
        body: { spec: { containers: [sidecar('log', { image: 'log:2' })] } },
      },
    );
    expect(hashesIn(changed)[0]).not.toBe(first[0]);
    expect(hashesIn(changed)[1]).toBe(first[1]);
    // A stale one, as of a time without the webhook, is mended by the next change of anything.
    const body = { metadata: { annotations: { [KEYS[0]]: 'stale', team: 'b' } } };
    const mended = await user.patch(sidecarSets, { name: 'log' }, { type: 'merge', body });
    expect(hashesIn(mended)).toEqual(hashesIn(changed));
  });

  test('stay where an engine applies git without them, and no value of git or of a dry run counts', async () => {
    const clock = createVirtualClock(0);
    world = injectingWorld(clock, { nodes: 0 });
    const engine = world.cluster('engine');
    const applied = async (image: string, annotations?: Record<string, string>, dryRun = false) => {
      const body = setOf('log', { containers: [sidecar('log', { image })] }, annotations && { annotations });
      const patch = { type: 'apply', body: body as unknown as JsonObject, force: true } as const;
      return engine.patch(sidecarSets, { name: 'log' }, patch, { fieldManager: 'engine', dryRun });
    };
    const first = await applied('log:1');
    const again = await applied('log:1');
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const claimed = await applied('log:1', { [KEYS[0]]: 'stale' });
    expect(hashesIn(claimed)).toEqual(hashesIn(first));
    expect(claimed.metadata.generation).toBe(first.metadata.generation);
    const tried = await applied('log:2', undefined, true);
    expect(hashesIn(await engine.get(sidecarSets, { name: 'log' }))).toEqual(hashesIn(first));
    expect(hashesIn(await applied('log:2'))).toEqual(hashesIn(tried));
    expect(hashesIn(tried)[0]).not.toBe(hashesIn(first)[0]);
  });

  test('are those that injected pods have on record', async () => {
    const clock = createVirtualClock(0);
    world = injectingWorld(clock);
    const user = world.cluster('user');
    const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto' });
    runtime.start();
    const [hash] = hashesIn(await user.create(sidecarSets, setOf('log')));
    await clock.advance(30_000);
    const pod = await user.create(
      { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
        spec: { containers: [{ name: 'nginx', image: 'nginx:1' }] },
      },
    );
    const record = JSON.parse(pod.metadata.annotations?.[KEYS[0]] ?? '{}') as Record<
      string,
      { hash: string }
    >;
    expect(record['log']?.hash).toBe(hash);
    await runtime.stop();
  });

  test('one that has them, or that no rule may read, stays as it is', () => {
    const set = setOf('log');
    const { patch } = responseTo(set);
    const [operation] = JSON.parse(Buffer.from(textOf(patch), 'base64').toString()) as {
      value: JsonObject;
    }[];
    const annotations = operation?.value as Record<string, string>;
    expect(responseTo(setOf('log', {}, { annotations }))).toEqual({ uid: 'u-1', allowed: true });
    expect(responseTo(setOf('log', { containers: 'none' }))).toEqual({ uid: 'u-1', allowed: true });
    expect(responseTo({ ...set, spec: { selector: {} } })).toEqual({ uid: 'u-1', allowed: true });
  });

  test('are the same in each version, and no field of a set keeps the review from its answer', () => {
    const whole = setOf('log', {}, { annotations: { team: 'a' } });
    const patches = ['v1alpha1', 'v1beta1'].map(
      (version) => responseTo({ ...whole, apiVersion: `apps.kruise.io/${version}` })['patch'],
    );
    expect(patches[0]).toBeDefined();
    expect(patches[0]).toBe(patches[1]);
    for (const path of pathsIn(whole))
      for (const value of [null, 0, '', 'x', true, [], [null], ['x'], {}, { x: null }])
        expect(responseTo(withValue(whole, path, value))).toMatchObject({ uid: 'u-1', allowed: true });
  });
});

/** The paths of all members, the whole among them. */
function pathsIn(value: unknown): string[][] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[], ...members.flatMap(([key, each]) => pathsIn(each).map((path) => [key, ...path]))];
}

function withValue(whole: unknown, [key, ...rest]: readonly string[], value: unknown): KubeObject {
  if (key === undefined) return value as KubeObject;
  const copy = (Array.isArray(whole) ? [...whole] : { ...objectOf(whole) }) as Record<string, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy as unknown as KubeObject;
}
