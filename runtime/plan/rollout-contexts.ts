import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { HELD_CONDITION } from '../../semantics/plan/held.ts';
import { backoffHeld } from '../../semantics/plan/creation-backoff.ts';
import { activePlan, isSnapshot, parseSnapshot, type Progress } from '../../semantics/plan/memory.ts';
import { predecessorsTimeoutAt, waitsForPredecessor } from '../../semantics/plan/predecessor.ts';
import type { RolloutContext, PlanObject, RolloutView } from '../../semantics/plan/rollout-view.ts';
import type { Blocked } from '../../semantics/plan/state.ts';
import { columnOf } from '../../semantics/plan/table.ts';
import { conditionsOf } from '../../semantics/pod/location.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import type { Checks } from '../check/checks.ts';
import type { Caches } from '../observe/caches.ts';
import { objectsOf } from '../observe/objects.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { predecessorKey } from './predecessor-key.ts';
import { createPlanReader } from './read.ts';
import type { States } from '../reconcile/state.ts';
import { createSlots, type QueueSlot } from './slots.ts';

/**
 * What a look at one target needs to know of the rest of the world: other targets, slots, nodes, answers of checks, and
 * since when things have been as they are. All of it is found again after a restart.
 */
export interface RolloutContexts {
  /** What a look begins with: a slot that was held for nothing is given back. */
  contextOf(key: TargetKey, view: RolloutView): RolloutContext;
  /** The plan objects of a target, verified. */
  plans(key: TargetKey): { object: KubeObject; plan: PlanObject }[];
  /** Since when the template has been the live one as it was seen here, milliseconds since 1970. */
  liveSince(key: TargetKey, view: RolloutView): number;
  /** Takes a slot for a plan that waits for nothing else. True: the look is worth repeating. */
  enterQueue(key: TargetKey, result: Advance): boolean;
  /** What a look has led to: slots are given back, checks are asked or dropped. */
  settle(key: TargetKey, view: RolloutView, result: Advance): void;
  refused(key: TargetKey, action: Action, error: ApiError): void;
  /** The server did it: what it said before of that pod is over. */
  taken(key: TargetKey, action: Action): void;
  /** Why none of these revisions is made now, and when: each was lost again and again just after it was made. */
  deferral(
    key: TargetKey,
    target: KubeObject,
    revisions: readonly string[],
  ): { held: { reason: string; message: string }; until: number } | undefined;
  /** The snapshot of a plan was made, of this name; `usual`: the name that it has where that one is free. */
  recorded(key: TargetKey, revision: string, usual: string): void;
  /** All that was wanted of pods was done, or nothing is wanted any more. True: that is new, and what was shown of it is taken back by a look. */
  notRefused(key: TargetKey): boolean;
  /**
   * Nothing is decided about this target: meanwhile it holds and waits for no slot. Those that come after it are asked
   * again as soon as something is.
   */
  released(key: TargetKey): void;
  /** A look is over. One that came to no decision keeps no other target waiting for a slot: it waits again when it does. */
  ended(key: TargetKey): void;
  forget(key: TargetKey): void;
}

export interface RolloutContextsOptions {
  caches: Caches;
  states: States;
  checks: Checks<TargetKey>;
  clock: Clock;
  maxRunning: number;
  enqueue(key: TargetKey, delayMs?: number): void;
}

export function createRolloutContexts({
  caches,
  states,
  checks,
  clock,
  maxRunning,
  enqueue,
}: RolloutContextsOptions): RolloutContexts {
  const slots = createSlots<TargetKey>(maxRunning, enqueue, () => clock.monotonic());
  /** Whose plan waits for which targets: it looks again when one of those has been looked at. */
  const waiting = new Map<TargetKey, ReadonlySet<TargetKey>>();
  let counted = false;
  const read = createPlanReader(checks.refusal);

  function memoryOf(target: KubeObject) {
    return caches.revisionsOf(target).flatMap((object) => parseSnapshot(object) ?? []);
  }

  /** After a start the plans that were moving pods hold slots before any other begins; those that waited for one come last. */
  function count(): void {
    if (counted) return;
    const moving = [...caches.targets()].flatMap(([key, target]) => movingOf(key, target) ?? []);
    // On the way back no slot is waited for.
    for (const { key, place, isBack } of moving) if (isBack) slots.note(key, place.namespace, true);
    slots.restore(moving.filter((each) => !each.wasQueued));
    slots.restore(moving.filter((each) => each.wasQueued));
    counted = true;
  }

  /** A target whose pods an earlier process was moving; one that cannot be read is none, which its own look reports. */
  function movingOf(key: TargetKey, target: KubeObject) {
    try {
      const current = activePlan(memoryOf(target));
      if (current === undefined || !movesPods(current.progress) || current.progress.paused) return undefined;
      const isBack = columnOf(current.progress.phase) === 'Reverting';
      return { key, place: placeOf(key, current.spec.group, true), isBack, wasQueued: wasQueued(target) };
    } catch {
      return undefined;
    }
  }

  function plans(key: TargetKey): { object: KubeObject; plan: PlanObject }[] {
    const state = states.find(key);
    const seen = new Map<string, { generation: number; at: number }>();
    const found = caches.plansOf(key).map((object) => {
      const { uid = '', generation = 0 } = object.metadata;
      const known = state?.plansSince.get(uid);
      const at = known?.generation === generation ? known.at : clock.now();
      seen.set(uid, { generation, at });
      return { object, plan: read(object, at) };
    });
    // Of a target that is not there nothing is remembered.
    if (state !== undefined) state.plansSince = seen;
    return found;
  }

  function predecessorsOf(key: TargetKey): Set<TargetKey> {
    const after = plans(key).flatMap(({ plan }) => plan.spec.after ?? []);
    return new Set(after.flatMap((reference) => predecessorKey(reference, key.namespace) ?? []));
  }

  function wake(key: TargetKey): void {
    for (const [other, predecessors] of waiting) if (predecessors.has(key)) enqueue(other);
  }

  /** The targets that wait for each other, by name, where this one is among them. */
  function circleOf(key: TargetKey): string[] | undefined {
    const seen = new Set<TargetKey>();
    const search = (path: readonly TargetKey[]): TargetKey[] | undefined => {
      const last = path.at(-1) ?? key;
      // What has begun waits for nobody, whatever its plan says.
      for (const next of last === key ? predecessorsOf(key) : (waiting.get(last) ?? [])) {
        if (next === key) return [...path, next];
        if (seen.has(next)) continue;
        seen.add(next);
        const circle = search([...path, next]);
        if (circle !== undefined) return circle;
      }
      return undefined;
    };
    return search([key])?.map((each) => each.name);
  }

  /** What another target shows; `unreadable`: the rules fail on it, or it is too large or not seen, which its own reconcile reports. */
  function lookAt(key: TargetKey, target: KubeObject): RolloutView | 'unreadable' | undefined {
    const kind = kindOf(key);
    if (kind === undefined) return undefined;
    if (caches.oversized(target) !== undefined) return 'unreadable';
    try {
      const revisions = caches.revisionsOf(target);
      const seen = objectsOf(caches, { key, kind, target }, revisions);
      if (seen === undefined || 'unseen' in seen) return 'unreadable';
      return kind.work.observe({
        ...seen.objects,
        target,
        revisions: revisions.filter((object) => !isSnapshot(object)),
        takenNames: new Set(),
        now: clock.now(),
      }).rollout;
    } catch {
      return 'unreadable';
    }
  }

  function predecessor(key: TargetKey, plan: PlanObject): string | undefined {
    const others = (plan.spec.after ?? []).map((reference) => {
      const other = predecessorKey(reference, key.namespace);
      const target = other && caches.target(other);
      return {
        reference,
        view: other && target && lookAt(other, target),
        plans: other === undefined ? [] : plans(other).map((each) => each.plan),
        memory: target === undefined ? [] : memoryOf(target),
      };
    });
    const circle = circleOf(key);
    if (circle !== undefined) return `${circle.join(' comes after ')}: take one of these away`;
    return waitsForPredecessor(plan, others, clock.now());
  }

  return {
    plans,
    contextOf(key, view) {
      count();
      const target = caches.target(key);
      if (slots.holds(key)) {
        const current = target && activePlan(memoryOf(target));
        const goal = current?.progress.goal ?? current?.spec.to.hash;
        slots.observe(key, goal, view.pods.filter((pod) => pod.available && pod.hash === goal).length);
      }
      const state = states.of(key);
      if (target !== undefined && !state.isRestored) state.refusals.recall(target);
      state.isRestored = true;
      const refused = state.refusals.first();
      return {
        nodes: {
          get: (name) => {
            const node = caches.node(name);
            const status = node?.['status'] as
              { conditions?: { type: string; status: string }[] } | undefined;
            return node && { conditions: conditionsOf(status?.conditions ?? []) };
          },
        },
        check: checks.resultOf(key),
        quota: refused?.reason === 'NoCapacity' ? refused : undefined,
        refused,
        creationBackoff: target && state.creationBackoff.of(target),
        queued: slots.holds(key) ? undefined : slots.message,
        predecessor: (plan) => predecessor(key, plan),
      };
    },
    liveSince(key, { liveHash, liveSince: recorded }) {
      const state = states.of(key);
      const at = state.live === undefined ? recorded : clock.now();
      if (state.live?.hash !== liveHash) state.live = { hash: liveHash, at };
      return state.live.at;
    },
    enterQueue(key, { blocked, pending, accepted }) {
      const isQueued = (each: Blocked | undefined): boolean => each?.fact === 'queued';
      if (accepted !== undefined && isQueued(blocked))
        return slots.enter(key, placeOf(key, accepted.spec.group, true));
      const waits = plans(key).find(
        // A refused plan is not what is waited for, and nothing in it is believed.
        ({ plan }) => plan.refused === undefined && isQueued(pending.get(plan.name) ?? blocked),
      )?.plan;
      if (waits === undefined) {
        slots.leave(key);
        return false;
      }
      const place = placeOf(key, waits.spec.group, false);
      if (clock.now() >= (predecessorsTimeoutAt(waits) ?? 0)) return slots.enter(key, place);
      slots.wait(key, place);
      return false;
    },
    settle(key, view, { accepted, blocked, pending, check, boundedBy }) {
      const state = states.of(key);
      state.isDecided = true;
      const goal = accepted?.progress.goal;
      // On the way back with every pod there, only time is waited for.
      const arrived = goal !== undefined && view.pods.every((pod) => pod.hash === goal);
      const stands =
        arrived ||
        view.replicas === 0 ||
        boundedBy !== undefined ||
        (blocked !== undefined && blocked.fact !== 'capacity');
      slots.note(key, key.namespace, !stands && movesPods(accepted?.progress));
      checks.want(key, check);
      if ([blocked, ...pending.values()].some((b) => b?.fact === 'predecessor'))
        waiting.set(key, predecessorsOf(key));
      else waiting.delete(key);
      const now = [view.liveHash, view.stable, accepted?.spec.digest, accepted?.progress.phase].join(' ');
      if (state.settledAs === now) return;
      state.settledAs = now;
      wake(key);
    },
    refused: (key, action, error) => states.of(key).refusals.note(action, error),
    taken(key, action) {
      const { refusals, creationBackoff } = states.of(key);
      refusals.over(action);
      creationBackoff.done(action);
    },
    deferral(key, target, revisions) {
      const found = states.of(key).creationBackoff.of(target);
      if (found === undefined || !revisions.some((name) => found.deferred.has(name))) return undefined;
      return { held: backoffHeld(found, key.namespace), until: found.requeueAt };
    },
    recorded: (key, revision, usual) => states.of(key).creationBackoff.made(revision, usual),
    notRefused: (key) => states.of(key).refusals.forget(),
    released(key) {
      slots.note(key, key.namespace, false);
      slots.leave(key);
      const state = states.find(key);
      if (state !== undefined) state.settledAs = undefined;
    },
    ended(key) {
      const state = states.find(key);
      if (state?.isDecided !== true) slots.leave(key);
      else state.isDecided = false;
    },
    forget(key) {
      slots.note(key, key.namespace, false);
      slots.leave(key);
      checks.want(key, undefined);
      waiting.delete(key);
      states.delete(key);
      wake(key);
    },
  };
}

/** Only what moves pods holds a slot: a forgotten approval, a soak of a month or a pause must not stop everybody else. */
function movesPods(progress: Progress | undefined): boolean {
  return progress !== undefined && (progress.phase === 'Running' || columnOf(progress.phase) === 'Reverting');
}

/** An earlier process has recorded that its plan waited for a slot. */
function wasQueued(target: KubeObject): boolean {
  const { conditions = [] } = (target['status'] ?? {}) as { conditions?: Condition[] };
  return conditions.some(({ type, reason }) => type === HELD_CONDITION && reason === 'Queued');
}

function placeOf(key: TargetKey, group: string | undefined, begun: boolean): QueueSlot {
  return { begun, group: group ?? '', namespace: key.namespace, name: key.name };
}
