import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { ownedPods } from '../../semantics/kinds/git-units.ts';
import { noHooks } from '../../semantics/lifecycle/hooks.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Action, inSequence } from '../../semantics/decision.ts';
import type { Accepted } from '../../semantics/plan/memory.ts';
import type { Command, ProgressClock } from '../../semantics/plan/advance-input.ts';
import type { PlanObject } from '../../semantics/plan/plan-object.ts';
import { emptyContext } from '../../semantics/plan/rollout-context.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { reconcile, type RecordWrite } from '../../semantics/reconcile/reconcile.ts';
import { type LabelSelector, selectorPredicate } from '../../semantics/values/selector.ts';
import { createClaimModel } from './claim-model.ts';
import { type StepOnNodes, watchFleet } from './fleet.ts';
import { createPodModel, type PodModel } from './pod-model.ts';
import { leastRounds } from './window.ts';
import {
  DAY,
  kindOfTarget,
  NEW_REVISION,
  prepareSimulation,
  START,
  type SimulationInput,
} from './simulation-setup.ts';

export interface Simulation {
  /** False: the rollout stopped before its last step, for example at the partition. */
  finished: boolean;
  lowestAvailable: number;
  mostPods: number;
  steps: { id: string; updatedPods: number; rounds: number }[];
  /** What each step does to nodes, where these are the units; undefined: they are not. */
  onNodes: readonly StepOnNodes[] | undefined;
}

/** Rollouts with more pods are not simulated. */
const MOST_PODS = 10_000;
/** The most reconciles of one simulation. A rollout that needs more would never end. */
const MOST_RECONCILES = (replicas: number): number => 2_000 + 40 * replicas;
/** The most reconciles times pods of one simulation, one or two seconds. For a larger one the caller uses arithmetic. */
const LARGEST_SIMULATION = 600_000;
/** The reconciles of one round: drain, change, wait until the pods are ready, open the gates. */
const RECONCILES_PER_ROUND = 4;

/**
 * Simulates a plan: runs `reconcile` over a model of the pods, from acceptance to the last step, with every approval given,
 * every soak shortened and every check passed. Because the runtime runs the same code, the result is what it does in a
 * cluster without faults. Undefined if that would take too long.
 */
export function simulatePlan(input: SimulationInput): Simulation | undefined {
  if (input.replicas > MOST_PODS) return undefined;
  // The runtime releases pods that the selector does not match, so there is nothing to simulate from.
  const { git, limits } = kindOfTarget(input.target);
  const read = git.read(input.target);
  // No model has the workloads between a target and its pods.
  if (read.units.of === 'subsets') return undefined;
  if (![input.from, read.template].every(isRunnable)) return undefined;
  if (input.from !== undefined && !isSelected(ownedPods(read.units)?.selector, input.from)) return undefined;
  const least = leastRounds(input.plan.steps, { limits, normal: read }, input.replicas);
  if (least * RECONCILES_PER_ROUND * input.replicas > LARGEST_SIMULATION) return undefined;
  const zones = read.units.of === 'nodes' ? (input.zones ?? read.units.zones) : undefined;
  const { kind, spec, pods, revisions, nodes, ...setup } = prepareSimulation({ ...input, zones });
  const minReadySeconds = ownedPods(read.units)?.minReadySeconds ?? 0;
  const fleet = zones === undefined ? undefined : watchFleet(nodes, zones, minReadySeconds);
  const placement = nodes.map(({ node }) => node);
  let memory: Accepted[] = [];
  let progressClock: ProgressClock | undefined;
  let target: KubeObject = { ...setup.target };
  let now = START;
  const rows: PodModel = createPodModel(pods, ownedPods(read.units)?.lifecycle ?? noHooks);
  const growsOnly = input.from === undefined && setup.claims.length > 0;
  const claims = createClaimModel(setup.claims);
  const plan: PlanObject = {
    name: 'plan',
    uid: 'plan',
    spec,
    since: START,
    wasStale: false,
    refused: undefined,
  };
  const steps = spec.steps.map(({ id }) => ({ id, updatedPods: 0, rounds: 0, lastRound: -1 }));
  let lowestAvailable = Infinity;
  let mostPods = 0;
  let work = 0;
  let reconciles = 0;
  const result = (finished: boolean): Simulation => ({
    finished,
    lowestAvailable,
    mostPods,
    steps: steps.map(({ id, updatedPods, rounds }) => ({ id, updatedPods, rounds })),
    onNodes: fleet?.steps(steps.length),
  });

  for (;;) {
    const nextReadyAt = rows.markReady(now);
    const nextFilledAt = claims.fill(now);
    const observed = kind.observe({
      target,
      pods: rows.pods(),
      revisions: [...revisions.values()],
      claims: claims.claims(),
      takenNames: new Set(),
      ...(fleet !== undefined && { placement }),
      now,
    });
    const { rollout } = observed;
    work += rollout.pods.length + 1;
    reconciles += 1;
    if (work > LARGEST_SIMULATION || reconciles > MOST_RECONCILES(input.replicas)) return undefined;
    const atStep = Math.min(memory[0]?.progress.step ?? 0, steps.length - 1);
    const available =
      fleet === undefined
        ? rollout.pods.filter((pod) => pod.available).length
        : fleet.observe(atStep, rows.pods(), now);
    lowestAvailable = Math.min(lowestAvailable, available);
    mostPods = Math.max(mostPods, rollout.pods.length);

    const side = {
      plans: [plan],
      commands: approvals(spec, memory),
      memory,
      progressClock,
      inSyncSince: 0,
      policy: 'Required',
      context: emptyContext,
    } as const;
    const decided = reconcile(observed, side, now);
    if (decided.do !== 'record' && decided.do !== 'act') return undefined;
    const { rolloutResult } = decided;
    if (rolloutResult !== undefined) progressClock = rolloutResult.result.progressClock;
    const at = rolloutResult?.result.accepted?.progress.step ?? 0;
    const step = steps[Math.min(at, steps.length - 1)];
    if (step !== undefined) step.updatedPods = rollout.pods.filter((pod) => pod.hash === spec.to.hash).length;
    if (decided.do === 'record') {
      for (const write of decided.writes) memory = record(write, memory, revisions);
      continue;
    }
    const phase = memory[0]?.progress.phase;
    if (phase === 'Succeeded' || phase === 'Halted' || phase === 'Reverted') {
      return result(phase === 'Succeeded');
    }
    target = { ...target, status: decided.status };
    for (const action of inSequence(decided.actions)) {
      rows.apply(action, now);
      claims.apply(action, now);
      patchRevision(revisions, action);
    }
    if (
      decided.actions.some(growsOnly ? isGrowing : isTaking) &&
      step !== undefined &&
      step.lastRound !== now
    ) {
      step.rounds += 1;
      step.lastRound = now;
    }
    if (decided.actions.length > 0) continue;
    const next = [nextReadyAt, nextFilledAt, decided.requeueAt].filter(
      (t) => t !== undefined && t > now,
    ) as number[];
    if (next.length === 0 || now > START + 30 * DAY) {
      return result(false);
    }
    now = Math.min(...next);
  }
}

/** The base state was not validated. A template that no pod could run is not simulated. */
function isRunnable(template: JsonObject | undefined): boolean {
  if (template === undefined) return true;
  const containers = ((template['spec'] ?? {}) as JsonObject)['containers'];
  return (
    Array.isArray(containers) &&
    containers.length > 0 &&
    containers.every(
      (c) => typeof c === 'object' && c !== null && 'name' in c && typeof c['image'] === 'string',
    )
  );
}

function isSelected(selector: LabelSelector | undefined, template: JsonObject): boolean {
  if (selector === undefined) return true;
  const { labels } = (template['metadata'] ?? {}) as { labels?: Record<string, string> };
  return selectorPredicate(selector)(labels ?? {});
}

/**
 * Whether an action starts the change of a pod: it updates an old pod, or creates one at the new revision. Deleting the old
 * pod after its replacement is available belongs to the same round.
 */
function isTaking(action: Action): boolean {
  if (action.kind !== 'Pod') return false;
  if (action.do === 'create') return action.object.metadata.labels?.[REVISION_LABEL] === NEW_REVISION;
  return ['drain', 'update in place', 'mark for recreation'].includes(action.verb);
}

function isGrowing(action: Action): boolean {
  return action.kind === 'PersistentVolumeClaim' && action.do === 'patch';
}

/** Records what must be stored first; returns the accepted plans stored afterwards. */
function record(write: RecordWrite, memory: Accepted[], revisions: Map<string, KubeObject>): Accepted[] {
  if (write.do === 'accept') return [remembered(write.spec, write.progress)];
  if (write.do === 'progress') return [remembered(write.accepted.spec, write.accepted.progress)];
  for (const action of write.actions) patchRevision(revisions, action);
  return memory;
}

/** Counters and marks on revisions are part of the state of the rules. */
function patchRevision(revisions: Map<string, KubeObject>, action: Action): void {
  if (action.kind !== 'ControllerRevision' || action.do !== 'patch') return;
  const object = revisions.get(action.name);
  if (object !== undefined) revisions.set(action.name, patched(object, action.body));
}

function remembered(spec: RolloutPlanSpec, progress: Accepted['progress']): Accepted {
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'accepted' },
  };
  return { name: 'accepted', spec, progress, object };
}

/** In a forecast every approval is given at once. */
function approvals(spec: RolloutPlanSpec, memory: readonly Accepted[]): Command[] {
  const progress = memory[0]?.progress;
  const step = spec.steps[progress?.step ?? -1];
  if (progress?.phase !== 'AwaitingApproval' || step === undefined || progress.approved.includes(step.id))
    return [];
  return [
    {
      uid: `approval-of-${step.id}`,
      name: step.id,
      createdAt: START,
      spec: { target: { kind: '', name: '' }, action: 'Approve', step: step.id, digest: spec.digest },
      result: undefined,
    },
  ];
}
