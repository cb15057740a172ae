import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { reviewPod } from '../../runtime/admit/review.ts';
import { createAdmissionCaches } from '../../runtime/admit/sources.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { SPEC_BOUNDS } from '../../semantics/template/bounds.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import { podOf, setOf, sidecar } from '../semantics/sidecarset/model.ts';

const LONG = 'x'.repeat(SPEC_BOUNDS.text + 1);

async function stage(...sets: KubeObject[]) {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['kruise-system', 'shop'], nodes: 0, crds: [...crds] });
  const admin = world.cluster('admin');
  for (const set of sets) await admin.create(resources.SidecarSet, set);
  const told: string[] = [];
  const caches = createAdmissionCaches({
    cluster: world.cluster('admission'),
    clock,
    random: () => 0.5,
    injectors: podInjectors,
    kinds: [],
    stateNamespace: 'kruise-system',
    policy: 'Auto',
    onError() {},
    onSync() {},
    onLeftOut: ({ metadata: { name } }, { path, rule }) => told.push(`${name}: ${path.join('.')} ${rule}`),
  });
  caches.start();
  await clock.advance(1_000);
  return {
    clock,
    admin,
    told,
    caches,
    review(pod: KubeObject): JsonObject {
      const request = {
        uid: 'u-1',
        operation: 'CREATE',
        resource: { group: '', version: 'v1', resource: 'pods' },
        namespace: 'shop',
        object: pod as unknown as JsonObject,
      };
      return objectOf(reviewPod({ request }, caches.sources())['response']);
    },
    stop() {
      caches.stop();
      world.stop();
    },
  };
}

/** The names of the containers that a response adds or has. */
function containersOf(response: JsonObject): string[] {
  const patch = JSON.parse(Buffer.from(textOf(response['patch'] ?? 'W10='), 'base64').toString()) as {
    path: string;
    value: { name: string }[];
  }[];
  return patch.find(({ path }) => path === '/spec/containers')?.value.map(({ name }) => name) ?? [];
}

const rule = `must have at most ${SPEC_BOUNDS.text} characters, and has ${SPEC_BOUNDS.text + 1}`;

test('of a set beyond the bounds no pod gets anything, and pods get the others', async () => {
  const here = await stage(
    setOf('large', { containers: [sidecar('a', { args: [LONG] })] }),
    setOf('other', { containers: [sidecar('b')] }),
  );
  expect(here.told).toEqual([`large: spec.containers.0.args.0 ${rule}`]);
  expect(here.caches.leftOut).toBe(1);
  expect(containersOf(here.review(podOf()))).toContain('b');
  expect(containersOf(here.review(podOf()))).not.toContain('a');
  const body = { spec: { containers: [sidecar('a')] as JsonObject[] } };
  await here.admin.patch(resources.SidecarSet, { name: 'large' }, { type: 'merge', body });
  await here.clock.advance(1_000);
  expect(here.caches.leftOut).toBe(0);
  expect(containersOf(here.review(podOf()))).toContain('a');
  expect(here.told).toHaveLength(1);
  here.stop();
});

test('a set that is deleted while it is beyond the bounds is not told of again', async () => {
  const here = await stage(setOf('large', { containers: [sidecar('a', { args: [LONG] })] }));
  await here.admin.delete(resources.SidecarSet, { name: 'large' });
  await here.clock.advance(1_000);
  expect([here.told.length, here.caches.leftOut]).toEqual([1, 0]);
  here.stop();
});

test('a pod beyond the bounds is refused, with the field', async () => {
  const here = await stage(setOf('s', { containers: [sidecar('a')] }));
  const response = here.review(podOf({ containers: [{ name: 'main', image: 'web:1', args: [LONG] }] }));
  expect(response).toMatchObject({
    uid: 'u-1',
    allowed: false,
    status: { code: 422, message: `spec.containers.0.args.0 ${rule}` },
  });
  here.stop();
});
