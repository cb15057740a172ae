import { createVirtualClock, type ImageBehavior, type VirtualClock } from 'kruise-sandbox';
import { expect } from 'vitest';
import { boundOf } from '../../../compiler/plan/bound.ts';
import { createRuntime } from '../../../runtime/runtime.ts';
import type { RolloutPlanSpec, RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import { ApiError, type Cluster, type Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Kind, PlannedKind } from '../../../semantics/kinds/kind.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { HELD_CONDITION } from '../../../semantics/plan/held-condition.ts';
import { trueCondition } from '../../../semantics/status/conditions.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { planResources } from '../../conformance/subject.ts';
import { createApply, type Style } from '../engines/engine.ts';
import { injectingWorld } from '../../fixtures/injecting-world.ts';
import { ALONE, MISSING, manifestOf, type Sample, sampleOf, standingOf, stepsOf } from './manifests.ts';

/** A target and its plan at one time, and in which state. */
export interface Recorded {
  /** `Halted Stalled/Timeout | Halted`: the phase of the plan with its condition, and why the target is held. */
  state: string;
  target: KubeObject;
  plan: KubeObject | undefined;
}

/** A target of a kind, and what a user may do with it. */
export interface Site {
  kind: PlannedKind;
  manifest(image: string, more?: JsonObject): Promise<void>;
  /** Commits the plan between two states; without a first one, of the first state of all, in one step. */
  plan(to: KubeObject, from?: KubeObject): Promise<void>;
  /** Pods of others, for a kind whose units these are. */
  pods(): Promise<void>;
  command(action: string): Promise<void>;
  /** Git has neither target nor plan any more: both are deleted, in this order. */
  remove(first: 'plan' | 'target'): Promise<void>;
  /** The plan alone is deleted, as by an engine that prunes it. */
  prunePlan(): Promise<void>;
  /** Target and plan as they are. */
  see(): Promise<(KubeObject | undefined)[]>;
  /** Runs, and records each state of target and plan that was not there before. */
  run(minutes: number): Promise<void>;
  /** Runs until the plan has this phase. */
  until(phase: string): Promise<void>;
}

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const SECOND = 1_000;
const LIMIT_MINUTES = 60;

/** Targets of a kind without plans, once they are observed. */
export async function standing(kind: Kind): Promise<Recorded[]> {
  const { resource, id } = kind;
  const { group, version } = resource;
  const states: Recorded[] = [];
  for (const [what, spec] of standingOf(kind))
    await inSandbox({ [MISSING]: { pullError: true } }, async (clock, user) => {
      const at = { name: 'web', ...(resource.namespaced && { namespace: 'shop' }) };
      await user.create(resources.CloneSet, manifestOf(cloneSetKind, 'web:1'));
      await user.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'web', namespace: 'default' },
      });
      await user.create(resources.Pod, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: ALONE, namespace: 'shop' },
        spec: { containers: [{ name: 'main', image: 'alone:1', imagePullPolicy: 'IfNotPresent' }] },
      });
      await clock.advance(60 * SECOND);
      await user.create(resource, {
        apiVersion: `${group}/${version}`,
        kind: id.kind,
        metadata: at,
        spec,
      });
      await clock.advance(60 * SECOND);
      const target = await user.get(resource, at);
      states.push({ state: `${what} | ${heldReason(target)}`, target, plan: undefined });
    });
  return states;
}

/**
 * Plays a script in a sandbox with a runtime, and returns the states that it came through, in order. `style`: git is applied as engines do,
 * and healed at each look; undefined: a user writes it once.
 */
export function recorded(
  kind: PlannedKind,
  script: (site: Site) => Promise<void>,
  style?: Style,
): Promise<Recorded[]> {
  const { pods } = sampleOf(kind);
  const good = ['web:1', 'web:2', 'web:3'];
  const behaviors = {
    'web:bad': BAD[pods],
    ...(pods === 'end' && Object.fromEntries(good.map((image) => [image, FOR_A_WHILE]))),
  };
  return inSandbox(behaviors, async (clock, user) => {
    const site = siteOf(kind, clock, user, style);
    await script(site);
    return site.states;
  });
}

const FOR_A_WHILE: ImageBehavior = { exitAfterMs: 20 * SECOND };
/** What fails, by what pods do. */
const BAD: Readonly<Record<Sample['pods'], ImageBehavior>> = {
  stay: { neverReady: true },
  end: { ...FOR_A_WHILE, exitCode: 1 },
  pull: { pullError: true },
};

async function inSandbox<T>(
  images: Readonly<Record<string, ImageBehavior>>,
  play: (clock: VirtualClock, user: Cluster) => Promise<T>,
): Promise<T> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock);
  for (const [image, behavior] of Object.entries(images)) world.images.set(image, behavior);
  const errors: unknown[] = [];
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    onError: (_key, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  try {
    return await play(clock, world.cluster('user'));
  } finally {
    await Promise.all([runtime.stop(), clock.settle()]);
    world.stop();
    await clock.settle();
    expect(errors).toEqual([]);
  }
}

function siteOf(
  kind: PlannedKind,
  clock: VirtualClock,
  user: Cluster,
  style: Style | undefined,
): Site & { states: Recorded[] } {
  const { plan: plans, command: commands } = planResources(kind);
  const within = kind.resource.namespaced ? { namespace: 'shop' } : {};
  const at = { ...within, name: 'web' };
  const states: Recorded[] = [];
  let sent = 0;
  const find = (resource: Resource): Promise<KubeObject | undefined> =>
    user.get(resource, at).catch((error: unknown) => {
      if (error instanceof ApiError && error.status.code === 404) return undefined;
      throw error;
    });
  const apply = style && createApply(user, style);
  const git = new Map<Resource, KubeObject>();
  const heal = async (): Promise<void> => {
    for (const [resource, object] of git) await apply?.(resource, object);
  };
  const put = async (resource: Resource, object: KubeObject): Promise<void> => {
    if (apply !== undefined) {
      git.set(resource, object);
      await heal();
      await clock.settle();
      return;
    }
    const there = await find(resource);
    if (there === undefined) await user.create(resource, object);
    else await user.replace(resource, { ...there, spec: object['spec'] ?? {} });
    await clock.settle();
  };
  const observe = async (): Promise<KubeObject | undefined> => {
    const [target, plan] = await Promise.all([find(kind.resource), find(plans)]);
    const all = [target, plan].filter((each) => each !== undefined);
    if (target === undefined || !all.every(isObserved)) return plan;
    const state = stateOf(target, plan);
    if (states.every((each) => each.state !== state)) states.push({ state, target, plan });
    return plan;
  };
  const run = async (minutes: number, holds: (plan: KubeObject | undefined) => boolean): Promise<boolean> => {
    // What follows a change of git or a command lasts for seconds.
    for (let passed = 0, step = 1; passed < minutes * 60; passed += step, step = passed < 30 ? 1 : 5) {
      await clock.advance(step * SECOND);
      await heal();
      if (holds(await observe())) return true;
    }
    return false;
  };
  return {
    kind,
    states,
    manifest: (image, more) => put(kind.resource, manifestOf(kind, image, more)),
    plan: (to, from) => put(plans, planOf(kind, to, from)),
    pods: () => makePods(user),
    async command(action) {
      sent += 1;
      const { spec } = (await find(plans)) ?? { spec: {} };
      const { target, digest } = spec as { target: JsonObject; digest: string };
      const step = action === 'Approve' ? { step: 'agree' } : {};
      await user.create(commands, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: commands.kind,
        metadata: { ...within, name: `command-${sent}` },
        spec: { target, action, digest, by: 'mona', ...step },
      });
    },
    async remove(first) {
      git.clear();
      const both = [plans, kind.resource];
      for (const resource of first === 'plan' ? both : both.reverse())
        await user.delete(resource, at, { propagationPolicy: 'Background' });
    },
    async prunePlan() {
      git.delete(plans);
      await user.delete(plans, at, { propagationPolicy: 'Background' });
    },
    see: () => Promise.all([find(kind.resource), find(plans)]),
    async run(minutes) {
      await run(minutes, () => false);
    },
    async until(phase) {
      if (!(await run(LIMIT_MINUTES, (plan) => phaseOf(plan) === phase)))
        throw new Error(`the plan of the ${kind.id.kind} is never ${phase}`);
    },
  };
}

async function makePods(user: Cluster): Promise<void> {
  for (const name of ['a', 'b', 'c'])
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'main:1' }] },
    });
}

const statusOf = (plan: KubeObject | undefined): RolloutPlanStatus => plan?.['status'] ?? {};
const phaseOf = (plan: KubeObject | undefined): string => statusOf(plan).phase ?? 'no plan';

/** Whether the runtime has observed the present spec; a status without a generation counts if it says anything. */
function isObserved({ metadata, ...object }: KubeObject): boolean {
  const status = (object['status'] ?? {}) as { observedGeneration?: number };
  return 'observedGeneration' in status
    ? status.observedGeneration === metadata.generation
    : Object.keys(status).length > 0;
}

function stateOf(target: KubeObject, plan: KubeObject | undefined): string {
  const { conditions = [] } = statusOf(plan);
  const shown = conditions.find(({ type, status }) => type !== 'Ready' || status === 'True');
  const why = shown === undefined ? '' : ` ${shown.type}/${shown.reason ?? ''}`;
  return `${phaseOf(plan)}${why} | ${heldReason(target)}`;
}

function heldReason(target: KubeObject): string {
  return trueCondition(target, HELD_CONDITION)?.reason ?? 'not held';
}

function planOf(kind: PlannedKind, to: KubeObject, from: KubeObject | undefined): KubeObject {
  const hashOf = (manifest: KubeObject): string => templateHash(kind.git.read(manifest).template);
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: to.apiVersion, kind: to.kind, name: 'web' },
    to: { hash: hashOf(to), bound: boundOf(kind.git.read(to)) },
    from: from === undefined ? [] : [{ hash: hashOf(from), mode: 'Recreate' }],
    steps: from === undefined ? stepsOf(kind).slice(-1) : stepsOf(kind),
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: planResources(kind).plan.kind,
    metadata: { name: 'web', ...(kind.resource.namespaced && { namespace: 'shop' }) },
    spec: { ...spec, digest: planDigest(spec) },
  };
}
