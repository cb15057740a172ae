import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { PROGRESS_ANNOTATION } from '../../semantics/plan/memory.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { fleetDefinitions } from '../fixture-kind/fleet/definitions.ts';
import { fleetKind } from '../fixture-kind/fleet/kind.ts';
import { AT, fleet, SHOP, zones } from '../fixture-kind/fleet/world.ts';
import { rackKind } from '../fixture-kind/kind.ts';
import type { KindPlay, Start } from './plays.ts';

const MINUTE = 60_000;
const STEPS: readonly Step[] = [
  { id: 'fifth', update: { to: '20%' } },
  { id: 'soak', soak: { for: '30s' } },
  { id: 'half', update: { to: '50%' } },
  { id: 'rest', update: { to: '100%' } },
];
/** How many of ten pods may be on the new revision in each step. */
const ALLOWED = [2, 2, 5, 10];

const templateOf = (image: string): JsonObject => (fleet(image)['spec'] as { template: JsonObject }).template;

function planOf(): KubeObject {
  const [from, to] = ['db:1', 'db:2'].map((image) => templateHash(templateOf(image)));
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'test.plan.kruise.io/v1', kind: 'Fleet', name: AT.name },
    to: { hash: to ?? '', bound: {} },
    from: [{ hash: from ?? '', mode: 'Recreate' }],
    steps: [...STEPS],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { namespace: SHOP, name: 'fleet-db' },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? '';

/**
 * A root and its children: whatever becomes of the runtime, the children together have no more pods on the new revision than the
 * step of the root allows, and all of them end there.
 */
async function played(start: Start, moved: readonly number[]): Promise<unknown> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', SHOP, 'kruise-system'],
    crds: [...crds, ...fleetDefinitions],
  });
  const runtime = start({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    kinds: [rackKind, fleetKind],
    onError: () => {},
  });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  await user.create(fleetKind.resource, fleet('db:1'));
  await clock.advance(3 * MINUTE);

  const podsNow = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: SHOP })).items as Pod[];
  const pods = new Map((await podsNow()).map((pod) => [pod.metadata.name, pod]));
  const broken: string[] = [];
  let allowed = ALLOWED[0] ?? 0;
  world.onCommit(({ resource, type, object }) => {
    const progress = objectOf(parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? ''));
    const step = Number(progress['step'] ?? 0);
    if (resource === 'controllerrevisions.apps') allowed = Math.max(allowed, ALLOWED[step] ?? 0);
    if (resource !== 'pods') return;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)
      pods.delete(object.metadata.name);
    else pods.set(object.metadata.name, object as Pod);
    const updated = [...pods.values()].filter((pod) => imageOf(pod) === 'db:2').length;
    if (updated > allowed) broken.push(`${updated} pods are updated, ${allowed} are allowed`);
  });
  await user.create(resources.RolloutPlan, planOf());
  const change = async (spec: JsonObject): Promise<void> => {
    await user.patch(fleetKind.resource, AT, { type: 'merge', body: { spec } });
  };
  await change({ template: templateOf('db:2') });
  await clock.advance(MINUTE);
  await change({ subsets: zones(...moved) });
  await clock.advance(40 * MINUTE);

  const byZone: Record<string, string[]> = {};
  for (const pod of await podsNow())
    (byZone[pod.metadata.name.split('-')[1] ?? ''] ??= []).push(imageOf(pod));
  const plan = await user.get(resources.RolloutPlan, { namespace: SHOP, name: 'fleet-db' });
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return { byZone, plan: objectOf(plan['status'])['phase'], broken };
}

const expected = (sizes: readonly number[]): unknown => ({
  byZone: Object.fromEntries(
    sizes.map((size, index) => ['abc'[index] ?? '', Array.from({ length: size }, () => 'db:2')]),
  ),
  plan: 'Succeeded',
  broken: [],
});

/** The plays of a root with children. */
export const childrenPlays: readonly KindPlay[] = [
  [5, 3, 2],
  [3, 4, 3],
].map((sizes, index) => ({
  kind: fleetKind,
  title: index === 0 ? 'children that share a plan' : 'children of which pods are moved to others meanwhile',
  play: (start) => played(start, sizes),
  expected: expected(sizes),
  sends: (writes) => writes.some((text) => text.includes('racks')),
}));
