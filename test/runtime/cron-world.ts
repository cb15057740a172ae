import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { advancedCronJobKind } from '../../semantics/advancedcronjob/kind.ts';
import { normalizeCronJob } from '../../semantics/advancedcronjob/normalize.ts';
import { type ChildKind, childResources } from '../../semantics/advancedcronjob/resource.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { templateHash } from '../../semantics/template/canonical.ts';

export const OPS = 'ops';
const SECOND = 1_000;
const GROUP = 'apps.kruise.io/v1beta1';

/** The parts of AdvancedCronJob `tidy` that differ between tests. */
export interface Tidy {
  image?: string;
  /** Default: Job. */
  of?: ChildKind;
  spec?: JsonObject;
}

/** Every minute, of an image that runs for 20 seconds. */
export function tidy({ image = 'tidy:1', of = 'Job', spec = {} }: Tidy = {}): KubeObject {
  const pods = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } };
  const child = of === 'Job' ? { template: pods, backoffLimit: 0 } : { template: pods };
  const template = { [of === 'Job' ? 'jobTemplate' : 'broadcastJobTemplate']: { spec: child } };
  return {
    apiVersion: GROUP,
    kind: 'AdvancedCronJob',
    metadata: { name: 'tidy', namespace: OPS },
    spec: { schedule: '* * * * *', template, ...spec },
  };
}

const hashOf = (parts: Tidy): string => templateHash(normalizeCronJob(tidy(parts)).template);

/** The plan object from one state to another; from none: the first of all. */
export function planFor(
  from: Tidy | undefined,
  to: Tidy,
  steps: readonly Step[],
  more: Partial<RolloutPlanSpec> = {},
): KubeObject {
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: GROUP, kind: 'AdvancedCronJob', name: 'tidy' },
    to: { hash: hashOf(to), bound: {} },
    from: from === undefined ? [] : [{ hash: hashOf(from), mode: 'Recreate' }],
    steps: [...steps],
    ...more,
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: 'advancedcronjob-tidy', namespace: OPS },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

/** A sandbox with the workload controllers of Kubernetes, and the runtime in it. */
export interface CronWorld {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** `00:01 tidy:1`: the times and images of the children that were created, in order. */
  created: string[];
  /** The children that exist, by name: `00:01 active`. */
  children(of?: ChildKind): Promise<string[]>;
  status(): Promise<{ status: JsonObject; held: string }>;
  plan(): Promise<{ phase: string; step: string; message: string }>;
  apply(...objects: KubeObject[]): Promise<void>;
  /** Runs the clock until this time of the day, to the second. */
  until(time: string): Promise<void>;
  stopRuntime(): Promise<void>;
  startRuntime(): void;
  stop(): Promise<void>;
}

type Started = Pick<Runtime, 'start'> & { stop(): unknown };

/** @param start creates the runtime for the world. Default: `createRuntime` */
export async function createCronWorld({
  policy = 'Required',
  start = createRuntime,
  nodes = 3,
}: {
  policy?: RuntimeOptions['policy'];
  start?: (options: RuntimeOptions, world: World) => Started;
  nodes?: number;
} = {}): Promise<CronWorld> {
  const midnight = Date.UTC(2026, 0, 1);
  const clock = createVirtualClock(midnight);
  const namespaces = ['default', OPS];
  const world = createWorld({ clock, namespaces, nodes, crds: [...crds], workloads: true });
  for (const image of ['tidy:1', 'tidy:2']) world.images.set(image, { exitAfterMs: 20 * SECOND });
  world.images.set('tidy:slow', { exitAfterMs: 150 * SECOND });
  world.images.set('tidy:bad', { exitAfterMs: 20 * SECOND, exitCode: 1 });
  const created: string[] = [];
  world.onCommit(({ object, previous }) => {
    if (previous !== undefined || (object.kind !== 'Job' && object.kind !== 'BroadcastJob')) return;
    const [, image = ''] = /"image":"([^"]+)"/.exec(JSON.stringify(object['spec'])) ?? [];
    created.push(`${timeOf(object)} ${image}`);
  });
  const errors: unknown[] = [];
  let runtime: Started | undefined;
  const startRuntime = (): void => {
    const onError: RuntimeOptions['onError'] = (_key, error) => errors.push(error);
    runtime = start({ cluster: world.cluster('kruise'), clock, policy, onError }, world);
    runtime.start();
  };
  const stopRuntime = async (): Promise<void> => {
    await Promise.all([runtime?.stop(), clock.settle()]);
    runtime = undefined;
  };
  startRuntime();
  await clock.advance(5 * SECOND);
  const user = world.cluster('user');
  return {
    world,
    clock,
    user,
    errors,
    created,
    async children(of = 'Job') {
      const { items } = await user.list(childResources[of], { namespace: OPS });
      return items.map((each) => `${timeOf(each)} ${stateOf(each)}`).sort();
    },
    async status() {
      const found = await user.get(advancedCronJobKind.resource, { namespace: OPS, name: 'tidy' });
      const status = (found['status'] ?? {}) as JsonObject;
      const held = conditionsOf(found).find(({ type }) => type === 'plan.kruise.io/Held');
      return { status, held: held?.status === 'True' ? (held.reason ?? '') : '' };
    },
    async plan() {
      const at = { namespace: OPS, name: 'advancedcronjob-tidy' };
      const { status = {} } = (await user.get(resources.RolloutPlan, at)) as { status?: object };
      const { phase = '', step = '', message = '' } = status as Record<string, string>;
      return { phase, step, message };
    },
    async apply(...objects) {
      for (const object of objects) {
        const { namespace = '', name } = object.metadata;
        const resource = object.kind === 'RolloutPlan' ? resources.RolloutPlan : advancedCronJobKind.resource;
        const patch = { type: 'apply', body: object as never, force: true } as const;
        await user.patch(resource, { namespace, name }, patch, { fieldManager: 'user' });
      }
      await clock.settle();
    },
    async until(time) {
      const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
      await clock.advance(midnight + ((hours * 60 + minutes) * 60 + seconds) * SECOND - clock.now());
    },
    stopRuntime,
    startRuntime,
    async stop() {
      await stopRuntime();
      world.stop();
      await clock.settle();
    },
  };
}

/** The time that the name of a child says. */
function timeOf({ metadata }: KubeObject): string {
  return new Date(Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1)) * 1000)
    .toISOString()
    .slice(11, 16);
}

function stateOf(child: KubeObject): string {
  const end = conditionsOf(child).find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return end?.type ?? 'active';
}

interface ShownCondition {
  type?: string;
  status?: string;
  reason?: string;
}

function conditionsOf(object: KubeObject): ShownCondition[] {
  return ((object['status'] ?? {}) as { conditions?: ShownCondition[] }).conditions ?? [];
}
