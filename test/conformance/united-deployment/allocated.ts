import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { unitedDeploymentKind } from '../../../semantics/uniteddeployment/kind.ts';
import { RESERVED_LABEL } from '../../../semantics/uniteddeployment/reserved-pods.ts';
import type { TemplateField } from '../../../semantics/uniteddeployment/resource.ts';
import { storeOpenKruiseUnited } from '../../runtime/openkruise-united.ts';
import {
  createUnitedWorld,
  planFor,
  SHOP,
  united,
  type UnitedWorld,
  type Web,
  zones,
} from '../../runtime/united-world.ts';
import type { KindPlay, Start } from '../plays.ts';

const MINUTE = 60_000;
const ALL = [{ id: 'all', update: { to: '100%' } }] as const;

/** Zones of which each has at most one pod, and the last one the others. */
const spread = (adaptive: JsonObject = {}): JsonObject => ({
  subsets: [...zones('ab', { maxReplicas: 1 }), ...zones('c')],
  scheduleStrategy: { type: 'Adaptive', adaptive },
});

function cordon({ world: { nodes } }: UnitedWorld, name: string, on: boolean): void {
  nodes[on ? 'cordon' : 'uncordon'](name);
}

/** Zone b is full: its pod goes to c. All are updated, zone b has room again, and gets the next pod. */
const moved = (field: TemplateField) => async (start: Start) => {
  const self = await createUnitedWorld({ start, workloads: field === 'deploymentTemplate' });
  const web = (image: string, replicas: number): Web => ({
    ...{ image, field, subsets: zones('abc') },
    spec: { replicas, topology: spread() },
  });
  cordon(self, 'node-b', true);
  await self.apply(united(web('web:1', 3)));
  await self.clock.advance(5 * MINUTE);
  const full = await self.pods();
  await self.apply(planFor(web('web:1', 3), web('web:2', 3), ALL), united(web('web:2', 3)));
  await self.clock.advance(10 * MINUTE);
  const { phase } = await self.plan();
  cordon(self, 'node-b', false);
  await self.clock.advance(15 * MINUTE);
  const open = await self.pods();
  await self.apply(united(web('web:2', 4)));
  await self.clock.advance(5 * MINUTE);
  const ending = { full, phase, open, grown: await self.pods(), held: await self.held() };
  await self.stop();
  return ending;
};

const afterwards = { a: { 'web:2': 1 }, c: { 'web:2': 2 } };
const movedEnding = {
  full: { a: { 'web:1': 1 }, c: { 'web:1': 2 } },
  phase: 'Succeeded',
  open: afterwards,
  grown: { ...afterwards, b: { 'web:2': 1 } },
  held: '',
};

/** By subset, how many pods others stand in for, and how many not. */
async function labels({ user }: UnitedWorld): Promise<Record<string, string>> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  const found: Record<string, string[]> = {};
  for (const { metadata } of items)
    (found[metadata.labels?.['apps.kruise.io/subset-name'] ?? ''] ??= []).push(
      metadata.labels?.[RESERVED_LABEL] ?? 'none',
    );
  return Object.fromEntries(Object.entries(found).map(([subset, each]) => [subset, each.sort().join(' ')]));
}

/** Zone a has no room: two pods of b stand in for those that wait there, until these have been ready for long enough. */
async function reserved(start: Start): Promise<unknown> {
  const self = await createUnitedWorld({ start });
  const web = (): KubeObject =>
    united({
      spec: {
        replicas: 2,
        topology: {
          subsets: zones('ab'),
          scheduleStrategy: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
        },
      },
    });
  cordon(self, 'node-a', true);
  await self.apply(web());
  await self.clock.advance(5 * MINUTE);
  const without = await labels(self);
  cordon(self, 'node-a', false);
  await self.clock.advance(15 * MINUTE);
  const ending = { without, within: await labels(self), held: await self.held() };
  await self.stop();
  return ending;
}

/** OpenKruise is stopped in the middle of a rollout. Its children keep their names and pods, and a plan ends it. */
async function adopted(start: Start): Promise<unknown> {
  let runtime: ReturnType<Start> | undefined;
  const self = await createUnitedWorld({
    start(options) {
      runtime = start(options);
      return { start: () => undefined, stop: () => runtime?.stop() };
    },
  });
  const web = (image: string): Web => ({ image, subsets: zones('ab'), spec: { replicas: 3 } });
  const children = [
    { subset: 'a', letters: 'x2k4d', pods: 1, updated: 1 },
    { subset: 'b', letters: '7hqzt', pods: 2, updated: 1 },
  ];
  await storeOpenKruiseUnited(self, { before: united(web('web:1')), after: united(web('web:2')), children });
  const left = await uids(self);
  runtime?.start();
  await self.clock.advance(10 * MINUTE);
  const taken = { pods: await self.pods(), are: [...(await uids(self))].every((uid) => left.has(uid)) };
  await self.apply(planFor(web('web:1'), web('web:2'), ALL));
  await self.clock.advance(10 * MINUTE);
  const after = await uids(self);
  const { items } = await self.user.list(resources.CloneSet, { namespace: SHOP });
  const ending = {
    taken,
    pods: await self.pods(),
    gone: [...left].filter((uid) => !after.has(uid)).length,
    names: items.map(({ metadata }) => metadata.name),
    phase: (await self.plan())['phase'],
    held: await self.held(),
  };
  await self.stop();
  return ending;
}

async function uids({ user }: UnitedWorld): Promise<Set<string | undefined>> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  return new Set(items.map(({ metadata }) => metadata.uid));
}

/** Plays about where pods go, and whose they were. */
export const allocatedPlays: readonly KindPlay[] = [
  ...(['cloneSetTemplate', 'deploymentTemplate'] as const).map((field): KindPlay => ({
    kind: unitedDeploymentKind,
    title: `a zone that is full, and has room again, with a ${field}`,
    play: moved(field),
    expected: movedEnding,
  })),
  {
    kind: unitedDeploymentKind,
    title: 'pods that stand in for others',
    play: reserved,
    expected: { without: { a: 'true true', b: 'false false' }, within: { a: 'false false' }, held: '' },
  },
  {
    kind: unitedDeploymentKind,
    title: 'children that OpenKruise has begun to update',
    play: adopted,
    expected: {
      taken: { pods: { a: { 'web:2': 1 }, b: { 'web:1': 1, 'web:2': 1 } }, are: true },
      pods: { a: { 'web:2': 1 }, b: { 'web:2': 2 } },
      ...{ gone: 1, names: ['web-a-x2k4d', 'web-b-7hqzt'], phase: 'Succeeded', held: '' },
    },
  },
];
