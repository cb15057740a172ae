import { compareCodePoints } from '../../../semantics/values/canonical-json.ts';
import { phase } from './acts.ts';
import type { Case } from './case.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import type { RolloutCase } from './suite.ts';
import { bySubset, byNodeLabel, change, has, NEXT, type Parts, SUBSET } from './united-manifest.ts';

async function begun(c: Case, parts: Parts = {}): Promise<void> {
  await change(c, parts);
  await c.until('three pods', (snapshot) => has(snapshot, 2, 1));
  await c.mark();
}

/** One subset is through, and the plan waits. */
async function oneThrough(c: Case, parts: Parts = {}): Promise<void> {
  await change(c, { ...parts, image: NEXT });
  await phase(c, 'AwaitingApproval', (snapshot) => has(snapshot, 2, 1, 1));
}

/** Gives pods of ReplicaSets a name for the record: theirs differ from world to world. */
async function nameThem(c: Case): Promise<void> {
  const { pods } = await c.snapshot(['pods']);
  const made = pods.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'ReplicaSet'),
  );
  // The hash is a part of the names.
  for (const { metadata } of made) c.name(metadata.name, `web-${metadata.labels?.[SUBSET] ?? ''}-POD`);
  for (const { metadata } of made) c.name(metadata.labels?.['pod-template-hash'] ?? '', 'HASH');
}

/** A subset, an approval, the other one; and another size. */
function inTwo(field: NonNullable<Parts['field']>, children: string): Pick<RolloutCase, 'play'> {
  return {
    async play(c) {
      await begun(c, { field });
      await c.kubectl(`get ${children}`);
      await nameThem(c);
      await oneThrough(c, { field });
      await nameThem(c);
      await c.show();
      await c.kruise(`approve UnitedDeployment/web --by ${c.world.user}`);
      await phase(c, 'Succeeded', (snapshot) => has(snapshot, 2, 1));
      await nameThem(c);
      await c.show();
      await c.retained();

      c.note('It is scaled: the subset without a number has the others.');
      await c.kubectl('scale uniteddeployment web --replicas 4');
      await c.until('four pods', (snapshot) => has(snapshot, 3, 1));
      await c.kubectl(`get ${children},uniteddeployments`);
    },
  };
}

/** How many pods of each subset others stand in for, and how many not. */
function reservedIn({ pods }: ClusterSnapshot, subset: string): string {
  const own = pods.filter(({ metadata }) => metadata.labels?.[SUBSET] === subset);
  const values = own.map(
    ({ metadata }) => metadata.labels?.['apps.kruise.io/united-deployment-reserved-pod'],
  );
  return values.sort((a = '', b = '') => compareCodePoints(a, b)).join(' ');
}

const RESERVING = 'example.com/room-reserving';

/** Gives a node a label of its own for each case, as they share nodes, for as long as `play` takes. */
async function withRoom(c: Case, label: string, play: () => Promise<void>): Promise<void> {
  const { administer } = c.world;
  const [node] = (await administer('get nodes -o name')).split('\n');
  if (node === undefined || node === '') throw new Error('there is no node');
  await administer(`label ${node} ${label}=`);
  try {
    await play();
  } finally {
    await administer(`label ${node} ${label}-`);
  }
}

/** The first subset has no nodes: its pods go to the other one, and new ones come back once it has some. */
function where(field: NonNullable<Parts['field']>): Pick<RolloutCase, 'play'> {
  return {
    async play(c) {
      const label = `example.com/room-${field}`;
      const topology = byNodeLabel(label, 'rescheduleCriticalSeconds: 2, unschedulableDuration: 4');
      await change(c, { field, topology });
      await c.until('all pods are in b', (snapshot) => has(snapshot, 0, 3));
      await nameThem(c);
      await c.show();
      c.note('A node of subset a is there now. It has new pods, and the others stay.');
      await withRoom(c, label, async () => {
        await c.until('a has room again', ({ targets: [target] }) =>
          JSON.stringify(target?.status).includes('"recover"'),
        );
        await change(c, { field, topology, replicas: 5 });
        await c.until('two pods are in a', (snapshot) => has(snapshot, 2, 3));
        await nameThem(c);
        await c.show();
      });
    },
  };
}

/** UnitedDeployments with children of several kinds. */
export const unitedDeployments: RolloutCase[] = [
  {
    golden: 'united-by-subset.txt',
    title: 'a UnitedDeployment makes a CloneSet for each subset, and goes a subset at a time',
    kind: 'UnitedDeployment',
    steps: bySubset,
    async play(c) {
      await begun(c);
      await c.show();
      await c.kubectl('get clonesets');
      await oneThrough(c);
      await c.show();
      await c.status();
      await c.kruise(`approve UnitedDeployment/web --by ${c.world.user}`);
      await phase(c, 'Succeeded', (snapshot) => has(snapshot, 2, 1));
      await c.show();
      await c.retained();

      c.note('It is scaled: the subset without a number has the others.');
      await c.kubectl('scale uniteddeployment web --replicas 4');
      await c.until('four pods', (snapshot) => has(snapshot, 3, 1));
      await c.kubectl('get clonesets,uniteddeployments');
    },
  },
  {
    golden: 'united-reverted.txt',
    title: 'a UnitedDeployment goes back with git when one subset is through',
    kind: 'UnitedDeployment',
    steps: bySubset,
    async play(c) {
      await begun(c);
      await oneThrough(c);
      await change(c, {});
      await c.until('the way back', (snapshot) => has(snapshot, 2, 1));
      await c.show();
      await c.status();
      await c.retained();
    },
  },
  {
    golden: 'united-partitions.txt',
    title: 'a UnitedDeployment keeps a pod of a subset on the old revision, until its partition is lowered',
    kind: 'UnitedDeployment',
    steps: '',
    async play(c) {
      await begun(c, { retained: 1 });
      await change(c, { image: NEXT, retained: 1 });
      await phase(c, 'Succeeded', (snapshot) => has(snapshot, 2, 1, 2));
      await c.show();
      await c.status();
      await c.retained();

      c.note('The partition is lowered, with a plan: the rollout continues.');
      await change(c, { image: NEXT, retained: 0 });
      await c.until('the last pod', (snapshot) => has(snapshot, 2, 1));
      await c.show();
    },
  },
  {
    golden: 'united-adaptive.txt',
    title: 'a UnitedDeployment puts pods where there is room',
    kind: 'UnitedDeployment',
    ...where('cloneSetTemplate'),
  },
  {
    golden: 'united-adaptive-deployments.txt',
    title: 'a UnitedDeployment of Deployments puts pods where there is room',
    kind: 'UnitedDeployment',
    needs: 'controllers',
    ...where('deploymentTemplate'),
  },
  {
    golden: 'united-reserved.txt',
    title: 'a UnitedDeployment has pods stand in for those without a node',
    kind: 'UnitedDeployment',
    async play(c) {
      const strategy =
        'reserveUnschedulablePods: true, rescheduleCriticalSeconds: 2, unschedulableDuration: 4';
      await change(c, { replicas: 2, topology: byNodeLabel(RESERVING, strategy) });
      await c.until(
        'two pods stand in for two',
        (snapshot) =>
          reservedIn(snapshot, 'a') === 'true true' && reservedIn(snapshot, 'b') === 'false false',
      );
      await c.show();
      c.note('A node of subset a is there now.');
      await withRoom(c, RESERVING, async () => {
        await c.until(
          'those of b are gone',
          (snapshot) => reservedIn(snapshot, 'a') === 'false false' && reservedIn(snapshot, 'b') === '',
        );
        await c.show();
      });
    },
  },
  {
    golden: 'united-of-sets.txt',
    title:
      'a UnitedDeployment makes a StatefulSet of OpenKruise for each subset, and goes a subset at a time',
    kind: 'UnitedDeployment',
    steps: bySubset,
    ...inTwo('advancedStatefulSetTemplate', 'statefulsets.apps.kruise.io'),
  },
  {
    golden: 'united-of-deployments.txt',
    title: 'a UnitedDeployment makes a Deployment for each subset, and goes a subset at a time',
    kind: 'UnitedDeployment',
    steps: bySubset,
    needs: 'controllers',
    ...inTwo('deploymentTemplate', 'deployments'),
  },
];
