import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import { isFull } from '../../lanes.ts';
import { randomOf } from '../../random.ts';
import { one } from './arbitrary.ts';
import { sidecar } from './model.ts';
import { type Rolling, rolling } from './rolling.ts';

/** What a container really does. The status of its pod reports it, later. */
interface Actual {
  image: string;
  /** The image that the status has until the container has started. */
  before: string;
  state: 'pulling' | 'hook' | 'running' | 'ready';
  restarts: number;
}

const EMPTY = 'empty:1';
const PODS = ['p0', 'p1'];
const HALVES = ['mesh-1', 'mesh-2'];

/** Images that cannot be pulled, whose hook fails, and that do not get ready. */
interface Faults {
  missing: Set<string>;
  failing: Set<string>;
  unready: Set<string>;
}

/**
 * A kubelet that is behind: it acts on the spec some time after a write, a hook takes time, and the status follows later still.
 * While a hook runs it may report nothing, as the kubelet of Kubernetes does.
 */
function createKubelet(world: Rolling, faults: Faults) {
  const containers = new Map<string, Actual>();
  const halfOf = (pod: string): Actual[] => HALVES.flatMap((half) => containers.get(`${pod}/${half}`) ?? []);
  return {
    sync({ metadata, spec }: Pod): void {
      for (const { name, image } of spec.containers) {
        const key = `${metadata.name}/${name}`;
        const before = containers.get(key);
        if (before?.image === image) continue;
        const restarts = before?.restarts ?? -1;
        containers.set(key, { image, before: before?.image ?? image, state: 'pulling', restarts });
      }
    },
    /** Time goes on for one container. */
    progress(key: string, random: () => number): void {
      const actual = containers.get(key);
      if (actual === undefined) return;
      const { image, state } = actual;
      if (state === 'pulling' && !faults.missing.has(image)) {
        actual.state = 'hook';
        actual.restarts += 1;
      } else if (state === 'hook') {
        actual.before = image;
        actual.state = faults.failing.has(image) ? 'pulling' : 'running';
      } else if (state === 'running' && !faults.unready.has(image)) actual.state = 'ready';
      else if (state === 'running' && random() < 0.1) actual.state = 'pulling';
    },
    report(pod: Pod): void {
      const containerStatuses = pod.spec.containers.flatMap(({ name }): ContainerStatus[] => {
        const actual = containers.get(`${pod.metadata.name}/${name}`);
        if (actual === undefined) return [];
        const { image, before, state, restarts } = actual;
        const hasStarted = state === 'running' || state === 'ready';
        const shown = hasStarted ? image : before;
        return [
          {
            name,
            image: shown,
            imageID: `id-of-${shown}`,
            ready: state === 'ready',
            restartCount: Math.max(hasStarted ? restarts : restarts - 1, 0),
            state: hasStarted ? { running: {} } : { waiting: {} },
          },
        ];
      });
      const isReady = containerStatuses.every(({ ready }) => ready === true);
      const conditions = [{ type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) }];
      world.pods.set(pod.metadata.name, {
        ...pod,
        status: { phase: 'Running', conditions, containerStatuses },
      });
    },
    isInHook: (pod: string): boolean => halfOf(pod).some(({ state }) => state === 'hook'),
    serves: (pod: string): boolean =>
      halfOf(pod).some(({ state, image }) => state === 'ready' && image !== EMPTY),
  };
}

/** Whether the status of a pod says that a half works: what was never reported cannot be kept. */
function isReported(world: Rolling, pod: string): boolean {
  return (world.pods.get(pod)?.status?.containerStatuses ?? []).some(
    ({ name, ready, image }) => HALVES.includes(name) && ready === true && image !== EMPTY,
  );
}

function containersOf(image: string, log: string): JsonObject[] {
  const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: EMPTY };
  return [sidecar('mesh', { image, upgradeStrategy }), sidecar('log', { image: log })];
}

function played(seed: number): { outages: string[]; end: unknown } {
  const random = randomOf(seed);
  const world = rolling();
  const faults: Faults = { missing: new Set(), failing: new Set(), unready: new Set() };
  const kubelet = createKubelet(world, faults);
  const outages: string[] = [];
  const serving = new Set<string>();
  const step = (): void => {
    const name = one(random, ...PODS);
    const pod = world.pods.get(name);
    if (pod === undefined) return;
    const isQuiet = kubelet.isInHook(name) && random() < 0.8;
    if (random() < 0.3) kubelet.sync(pod);
    if (random() < 0.6) kubelet.progress(`${name}/${one(random, ...HALVES, 'log', 'nginx')}`, random);
    if (random() < 0.3 && !isQuiet) kubelet.report(pod);
    for (const each of PODS)
      if (kubelet.serves(each)) {
        if (isReported(world, each)) serving.add(each);
      } else if (serving.has(each)) outages.push(each);
    if (random() < 0.4) world.reconcile(1);
  };
  const write = (): void => {
    const maxUnavailable = one(random, 1, 2);
    const [image, log] = [one(random, 'A', 'B', 'C', 'D'), one(random, 'log:1', 'log:2')];
    world.set('mesh', { containers: containersOf(image, log), updateStrategy: { maxUnavailable } });
  };
  world.set('mesh', { containers: containersOf('A', 'log:1') });
  world.reconcile();
  for (const name of PODS) world.create(name);
  for (let turn = 0; turn < 100; turn++) step();
  for (let change = 0; change < 8; change++) {
    for (const images of Object.values(faults) as Set<string>[]) {
      images.clear();
      for (const image of ['B', 'C', 'log:2']) if (random() < 0.2) images.add(image);
    }
    write();
    for (let turn = 0; turn < 10 + random() * 80; turn++) step();
  }
  for (const images of Object.values(faults) as Set<string>[]) images.clear();
  for (let turn = 0; turn < 2_000; turn++) {
    step();
    if (turn % 50 === 49 && world.status('mesh')['updatedReadyPods'] === PODS.length) break;
  }
  const { matchedPods, updatedReadyPods } = world.status('mesh');
  return { outages, end: { matchedPods, updatedReadyPods } };
}

const COUNT = isFull ? 150 : 30;

test(
  `a half that works is there all the time, and every pod gets there: ${COUNT} random histories`,
  { timeout: 120_000 },
  () => {
    for (let seed = 0; seed < COUNT; seed++)
      expect([seed, played(seed)]).toEqual([
        seed,
        { outages: [], end: { matchedPods: 2, updatedReadyPods: 2 } },
      ]);
  },
);
