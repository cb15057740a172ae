import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createRuntime } from '../../../runtime/runtime.ts';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { HELD_CONDITION } from '../../../semantics/plan/held-condition.ts';
import { trueCondition } from '../../../semantics/status/conditions.ts';

/** A namespace of a cluster with a runtime, in the sandbox or on another server. */
export interface Stage {
  namespace: string;
  /** The account that the policies accept plans from. */
  engine: Cluster;
  /** An administrator, who approves. */
  user: Cluster;
  /** What the server calls the administrator. */
  userName: string;
  /** Milliseconds of the cluster's clock. */
  now(): number;
  pass(ms: number): Promise<void>;
  /** How long a change in git may take to reach the first pod, milliseconds. */
  reachMs: number;
  /** How long nothing may be written at rest, milliseconds. */
  restMs: number;
  /** The same at a gate, where a clock that runs on would be written now and then. */
  gateMs: number;
  /** Whether objects are deleted with their owner here. */
  collectsGarbage: boolean;
  close(): Promise<void>;
}

export const NAMESPACE = 'shop';
const HOUR = 3_600_000;

/** A sandbox on a virtual clock, with a runtime in the same process. */
export async function createVirtualStage(): Promise<Stage> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', NAMESPACE] });
  const problems: unknown[] = [];
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    onError: (_key, error) => problems.push(error),
  });
  runtime.start();
  await clock.settle();
  return {
    namespace: NAMESPACE,
    engine: world.cluster('engine'),
    user: world.cluster('mona'),
    userName: 'mona',
    now: clock.now,
    pass: (ms) => clock.advance(ms),
    reachMs: 1_000,
    restMs: HOUR,
    gateMs: HOUR,
    collectsGarbage: true,
    async close() {
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
      if (problems.length > 0) throw new Error('the runtime has failed', { cause: problems[0] });
    },
  };
}

/** What a play looks at. */
export interface Seen {
  target: KubeObject | undefined;
  plans: KubeObject[];
  pods: KubeObject[];
  revisions: KubeObject[];
}

export async function look({ user, namespace }: Stage): Promise<Seen> {
  const of = async (resource: (typeof resources)[keyof typeof resources]): Promise<KubeObject[]> =>
    (await user.list(resource, { namespace })).items;
  const [[target], plans, pods, revisions] = await Promise.all([
    of(resources.CloneSet),
    of(resources.RolloutPlan),
    of(resources.Pod),
    of(resources.ControllerRevision),
  ]);
  return { target, plans, pods, revisions };
}

const imageOf = (pod: KubeObject): string =>
  (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '';

/** How many pods have an image. */
export const at = ({ pods }: Seen, image: string): number =>
  pods.filter((pod) => imageOf(pod) === image).length;

/** Whether all pods have this image, and are available. */
export function isAt(seen: Seen, image: string): boolean {
  const { replicas } = (seen.target?.['spec'] ?? {}) as { replicas?: number };
  const status = (seen.target?.['status'] ?? {}) as {
    availableReplicas?: number;
    updatedReplicas?: number;
    observedGeneration?: number;
  };
  return (
    replicas !== undefined &&
    at(seen, image) === replicas &&
    seen.pods.length === replicas &&
    status.availableReplicas === replicas &&
    status.updatedReplicas === replicas &&
    status.observedGeneration === seen.target?.metadata.generation
  );
}

export const phaseOf = ({ plans: [plan] }: Seen): string | undefined =>
  (plan?.['status'] as RolloutPlanStatus | undefined)?.phase;

/** Why a target is held; undefined: it is not. */
export function heldBy(target: KubeObject | undefined): string | undefined {
  return target && trueCondition(target, HELD_CONDITION)?.reason;
}

/** The versions of everything: another text after any write. */
export function versions({ target, plans, pods, revisions }: Seen): string[] {
  return [...(target === undefined ? [] : [target]), ...plans, ...pods, ...revisions]
    .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion ?? ''}`)
    .sort();
}
