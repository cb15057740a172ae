import type { ApiError, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind, ObservedObjects, Orphans, RolloutSnapshot } from '../../semantics/kinds/kind.ts';
import { type InfluenceInput, NOT_ALLOWED } from '../../semantics/influence/under-influence.ts';
import { observeHeld } from '../../semantics/reconcile/observe-held.ts';
import { componentOf, havePods } from '../../semantics/kinds/need.ts';
import { activeBreakGlass } from '../../semantics/plan/command-facts.ts';
import {
  claimsForbidden,
  componentOff,
  neededResourceForbidden,
  neededResourceMissing,
  tooLarge,
} from '../../semantics/plan/held-undecided.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { type Accepted, isSnapshot, parseSnapshot } from '../../semantics/plan/memory.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { policyOf } from '../../semantics/policy.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import type { PlanObject } from '../../semantics/plan/plan-object.ts';
import type { PlanSide } from '../../semantics/reconcile/reconcile.ts';
import { beyondPods } from '../../semantics/template/bounds.ts';
import { type LatestNeed, objectsOf } from '../observe/objects.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { readCommands } from '../plan/commands.ts';
import type { TargetState } from './state.ts';
import type { PlannedSubject, ReconcileTools, Subject } from './tools.ts';

/** The objects of a target at one moment, or why no decision can be made. */
export type Observation =
  | {
      is: 'observed';
      snapshot: RolloutSnapshot;
      objects: ObservedObjects;
      revisions: readonly KubeObject[];
      orphans: Orphans | undefined;
      pods: number;
      /** How many of its pods another target is about to write. */
      reserved: number;
      /** The pods that the target controls. Pods of other owners that it selects are not among them. */
      ownPods: readonly Pod[];
    }
  | Unread;

/** Why no decision can be made about a target. */
export type Unread =
  /** `isShown` false: not even its status may be written. */
  | { is: 'oversized'; held: { reason: string; message: string }; isShown: boolean }
  /** `held` undefined: the first list of a resource is pending. */
  | { is: 'unknown'; held: { reason: string; message: string } | undefined };

/** Everything that the rules read of a target. */
export interface ReadObjects {
  is: 'read';
  objects: ObservedObjects;
  /** All ControllerRevisions that the target controls, the records of plans among them. */
  revisions: readonly KubeObject[];
  /** What is to be read anew before a decision. */
  latest: readonly LatestNeed[];
  /** How many of its pods another target is about to write. */
  reserved: number;
}

/** Reads the objects of a target from the caches. */
export function readObjects(
  tools: ReconcileTools,
  { key, kind, target, state }: Subject,
  now: number,
): ReadObjects | Unread {
  const { caches, options } = tools;
  const oversized = caches.oversized(target);
  if (oversized !== undefined) {
    const isShown = !(oversized.kind === target.kind && oversized.hidesStatus);
    return { is: 'oversized', held: tooLarge(target, oversized), isShown };
  }
  const revisions = caches.revisionsOf(target);
  const found = objectsOf(caches, { key, kind, target }, revisions);
  if (found === undefined) return { is: 'unknown', held: undefined };
  if ('forbidden' in found) return { is: 'unknown', held: heldFor(kind, found) };
  const { objects } = found;
  const limit = beyondPods(target, objects.pods.length);
  if (limit !== undefined) {
    const { kind: named, metadata } = target;
    const held = tooLarge(target, { kind: named, name: metadata.name, limit });
    return { is: 'oversized', held, isShown: true };
  }
  const reserved = reservedOf(tools, key, objects);
  const observed: ObservedObjects = {
    ...objects,
    target,
    revisions: revisions.filter((object) => !isSnapshot(object)),
    takenNames: state.takenNames.current(),
    occupied: state.occupied,
    refusedCopies: state.refusals.copies(),
    refusedPods: state.refusals.patched(),
    largeChildren: caches.largeAmong(objects.children ?? []),
    deferredCopies: state.copyBackoffs.of(target.metadata.generation),
    ...(objects.pulls !== undefined && {
      pulls: { ...objects.pulls, isRefused: state.refusals.pull() !== undefined },
    }),
    ...(state.hasFailed && { hasFailed: true }),
    ...(havePods(kind.uses) && { influences: caches.influences.on(key, now) }),
    ...(reserved.size > 0 && { reserved }),
    ...(options.canResize?.() === false && { canResize: false }),
    ...(options.isOff?.('container-exec') === false && { mayExec: true }),
    watchedSince: caches.inSyncSince(key),
    now,
  };
  return { is: 'read', objects: observed, revisions, latest: found.latest, reserved: reserved.size };
}

/** Reads the objects of a target from the caches, and binds the rules of its kind to them as its plan holds it. */
export function observe(tools: ReconcileTools, subject: PlannedSubject, now: number): Observation {
  const read = readObjects(tools, subject, now);
  if (read.is !== 'read') return read;
  const { caches, options } = tools;
  const { key, kind } = subject;
  const { objects, revisions, reserved } = read;
  const commands = readCommands(caches.commandsOf(key));
  const breakGlass = activeBreakGlass(commands, options.breakGlassRefusal, now);
  const snapshot = observeHeld(kind, objects, acceptedPlans(revisions), breakGlass);
  const ownPods = kind.uses.some(({ of }) => of === 'OwnedPods') ? objects.pods : [];
  return {
    is: 'observed',
    snapshot,
    objects,
    revisions,
    orphans: objects.orphans,
    pods: objects.pods.length,
    reserved,
    ownPods,
  };
}

/** What acts on the decision about a target; undefined: nothing. */
export function influenceOn(
  { influences, target, pods, nodes, now }: ObservedObjects,
  { refusals: { lastRefused }, waitsSince }: Pick<TargetState, 'refusals' | 'waitsSince'>,
): InfluenceInput | undefined {
  if (influences === undefined) return undefined;
  const isShown = trueCondition(target, HELD_CONDITION)?.reason === NOT_ALLOWED;
  return { influences, target, pods, nodes, now, lastRefused, waitsSince: isShown ? 0 : waitsSince };
}

/** Why nothing is decided about a target of this kind while a resource may not be listed. */
function heldFor(
  { uses }: Kind,
  { forbidden, error }: { forbidden: Resource; error: ApiError },
): { reason: string; message: string } {
  const component = componentOf(uses, forbidden);
  if (component !== undefined) return componentOff(forbidden.plural, component);
  const { code, message } = error.status;
  if (code === 404) return neededResourceMissing(forbidden.plural, message);
  return forbidden === resources.PersistentVolumeClaim
    ? claimsForbidden(message)
    : neededResourceForbidden(forbidden.plural, message);
}

const NONE: ReadonlySet<string> = new Set();

/** The pods of a target, those of the owners of selected pods, and those that others name, that another target is about to write; by uid. */
function reservedOf(
  { caches, reservations }: ReconcileTools,
  key: TargetKey,
  { pods, owners = [], named = [] }: Pick<ObservedObjects, 'pods' | 'owners' | 'named'>,
): ReadonlySet<string> {
  if (!caches.areShared) return NONE;
  return reservations.among([pods, named, ...owners.map((owner) => owner.pods)], key);
}

/** The accepted plans among the revisions of a target. */
function acceptedPlans(revisions: readonly KubeObject[]): Accepted[] {
  return revisions.filter(isSnapshot).flatMap((object) => parseSnapshot(object) ?? []);
}

/** The plan objects of a target, each with the plan read from it, and the inputs of a reconcile besides the snapshot. */
export interface ReconcileInput {
  objects: readonly { object: KubeObject; plan: PlanObject }[];
  side: PlanSide;
}

/** Reads plans, commands, plan memory and the rollout context of a target. */
export function readReconcileInput(
  { caches, options, contexts }: ReconcileTools,
  { key, target, state }: Subject,
  { snapshot: { rollout }, objects: observed, revisions, ownPods }: Extract<Observation, { is: 'observed' }>,
): ReconcileInput {
  const objects = contexts.plans(key);
  const side: PlanSide = {
    plans: objects.map(({ plan }) => plan),
    commands: readCommands(caches.commandsOf(key)),
    memory: acceptedPlans(revisions),
    progressClock: state.progressClock,
    inSyncSince: caches.inSyncSince(key),
    policy: policyOf(target, caches.namespacesOf(key), options.policy),
    breakGlassRefusal: options.breakGlassRefusal,
    context: contexts.contextOf(key, rollout),
    liveSince: contexts.liveSince(key, rollout),
    boundSince: contexts.boundSince(key, rollout),
    adopt: options.adopt,
    ownPods,
    influence: influenceOn(observed, state),
  };
  return { objects, side };
}
