import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import { isPlanned } from '../../semantics/kinds/kind.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { backoffHeld } from '../../semantics/plan/creation-backoff.ts';
import { observeHeld } from '../../semantics/reconcile/observe-held.ts';
import { activePlan, isSnapshot, parseSnapshot, type Progress } from '../../semantics/plan/memory.ts';
import { predecessorsTimeoutAt, waitsForPredecessor } from '../../semantics/plan/predecessor.ts';
import type { PlanObject } from '../../semantics/plan/plan-object.ts';
import type { RefusedPod, RolloutContext } from '../../semantics/plan/rollout-context.ts';
import { type RolloutView, takesSlot } from '../../semantics/plan/rollout-view.ts';
import type { Blocked } from '../../semantics/plan/blocked.ts';
import { columnOf } from '../../semantics/plan/table.ts';
import { conditionsOf } from '../../semantics/pod/location.ts';
import { kindOf, plannedKindOf, rulesFor } from '../../semantics/registry/registry.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { Checks } from '../check/checks.ts';
import type { Caches } from '../observe/caches.ts';
import { objectsOf } from '../observe/objects.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { predecessorKey } from './predecessor-key.ts';
import { createPlanReader } from './read.ts';
import type { States } from '../reconcile/state.ts';
import { createSlots, type QueueSlot } from './slots.ts';

/**
 * The inputs of a reconcile from outside the target: other targets, slots, nodes, results of checks, and since when facts
 * have been true. All of it is restored after a restart.
 */
export interface RolloutContexts {
  /** The rollout context at the start of a reconcile; an unused slot is given back. */
  contextOf(key: TargetKey, view: RolloutView): RolloutContext;
  /** The refused writes of a target, those that an earlier process reported among them. */
  refusalsOf(key: TargetKey, target: KubeObject | undefined): RefusedPod[];
  /** The plan objects of a target, verified. */
  plans(key: TargetKey): { object: KubeObject; plan: PlanObject }[];
  /** Since when the live template has been observed, milliseconds since 1970. */
  liveSince(key: TargetKey, view: RolloutView): number;
  /** Since when this process has observed the target's own partition and selector, milliseconds since 1970. */
  boundSince(key: TargetKey, view: RolloutView): number;
  /** Takes a slot for a plan that waits for nothing else. True: the decision changes, and must be repeated. */
  enterQueue(key: TargetKey, result: Advance): boolean;
  /** Applies the result of a reconcile: slots are given back, checks are started or stopped. */
  settle(key: TargetKey, view: RolloutView, result: Advance): void;
  /** The server refused an action. Returns the message to report. */
  refused(key: TargetKey, action: Action, error: ApiError): string;
  /** The server accepted an action: an earlier refusal of it has ended. */
  taken(key: TargetKey, action: Action): void;
  /** Why and until when these revisions are not created: they are in creation backoff. */
  deferral(
    key: TargetKey,
    target: KubeObject,
    revisions: readonly string[],
  ): { held: { reason: string; message: string }; until: number } | undefined;
  /** The snapshot of a plan was created with this name; `usual`: its usual name. */
  recorded(key: TargetKey, revision: string, usual: string): void;
  /** No write to pods is refused any more. True: that is a change, and another reconcile must update the status. */
  notRefused(key: TargetKey): boolean;
  /**
   * No decision is made about this target: it holds and waits for no slot meanwhile. Its successors are enqueued after the
   * next decision.
   */
  released(key: TargetKey): void;
  /** A reconcile has ended. Without a decision the target leaves the queue of slots, until it decides again. */
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
  /** The predecessors that each waiting target waits for: it is enqueued when one of them changes. */
  const waiting = new Map<TargetKey, ReadonlySet<TargetKey>>();
  let counted = false;
  const read = createPlanReader(checks.refusal);

  function memoryOf(target: KubeObject) {
    return caches.revisionsOf(target).flatMap((object) => parseSnapshot(object) ?? []);
  }

  /** After a start, plans that were moving pods get slots before others; those that waited for a slot come last. */
  function count(): void {
    if (counted) return;
    const moving = [...caches.targets()].flatMap(([key, target]) => movingOf(key, target) ?? []);
    // A revert does not wait for a slot.
    for (const { key, slot, isBack } of moving) if (isBack) slots.note(key, slot.namespace, true);
    slots.restore(moving.filter((each) => !each.wasQueued));
    slots.restore(moving.filter((each) => each.wasQueued));
    counted = true;
  }

  /** A target whose pods an earlier process was moving. An unreadable target is skipped: its own reconcile reports that. */
  function movingOf(key: TargetKey, target: KubeObject) {
    try {
      const current = activePlan(memoryOf(target));
      if (current === undefined || !movesPods(current.progress) || current.progress.paused) return undefined;
      const isBack = columnOf(current.progress.phase) === 'Reverting';
      return { key, slot: slotOf(key, current.spec.group, true), isBack, wasQueued: wasQueued(target) };
    } catch {
      return undefined;
    }
  }

  function plans(key: TargetKey): { object: KubeObject; plan: PlanObject }[] {
    const state = states.find(key);
    const since = new Map<string, { generation: number; at: number }>();
    const found = caches.plansOf(key).map((object) => {
      const { uid = '', generation = 0 } = object.metadata;
      const known = state?.plansSince.get(uid);
      const at = known?.generation === generation ? known.at : clock.now();
      since.set(uid, { generation, at });
      return { object, plan: read(object, at) };
    });
    // A target that does not exist has no state.
    if (state !== undefined) state.plansSince = since;
    return found;
  }

  function predecessorsOf(key: TargetKey): Set<TargetKey> {
    const after = plans(key).flatMap(({ plan }) => plan.spec.after ?? []);
    return new Set(after.flatMap((reference) => predecessorKey(reference, key.namespace) ?? []));
  }

  function wake(key: TargetKey): void {
    for (const [other, predecessors] of waiting) if (predecessors.has(key)) enqueue(other);
  }

  /** The names of targets that wait for each other, if this one is among them. */
  function cycleOf(key: TargetKey): string[] | undefined {
    const visited = new Set<TargetKey>();
    const search = (path: readonly TargetKey[]): TargetKey[] | undefined => {
      const last = path.at(-1) ?? key;
      // A started plan does not wait for its predecessors any more.
      for (const next of last === key ? predecessorsOf(key) : (waiting.get(last) ?? [])) {
        if (next === key) return [...path, next];
        if (visited.has(next)) continue;
        visited.add(next);
        const cycle = search([...path, next]);
        if (cycle !== undefined) return cycle;
      }
      return undefined;
    };
    return search([key])?.map((each) => each.name);
  }

  /** The view of another target; `unreadable`: oversized, forbidden, or an error of the rules, which its own reconcile reports. */
  function viewOf(key: TargetKey, target: KubeObject | undefined): RolloutView | 'unreadable' | undefined {
    const known = kindOf(key);
    if (known === undefined) return undefined;
    if (!caches.isSynced(key)) return 'unreadable';
    if (target === undefined) return undefined;
    const kind = rulesFor(known, target);
    if (!isPlanned(kind)) return undefined;
    if (caches.oversized(target) !== undefined) return 'unreadable';
    try {
      const revisions = caches.revisionsOf(target);
      const found = objectsOf(caches, { key, kind, target }, revisions);
      if (found === undefined || 'forbidden' in found) return 'unreadable';
      const objects = {
        ...found.objects,
        target,
        revisions: revisions.filter((object) => !isSnapshot(object)),
        takenNames: new Set<string>(),
        now: clock.now(),
      };
      return observeHeld(kind, objects, memoryOf(target)).rollout;
    } catch {
      return 'unreadable';
    }
  }

  function predecessor(key: TargetKey, plan: PlanObject): string | undefined {
    const predecessors = (plan.spec.after ?? []).map((reference) => {
      const other = predecessorKey(reference, key.namespace);
      const target = other && caches.target(other);
      return {
        reference,
        view: other && viewOf(other, target),
        plans: other === undefined ? [] : plans(other).map((each) => each.plan),
        memory: target === undefined ? [] : memoryOf(target),
      };
    });
    const cycle = cycleOf(key);
    if (cycle !== undefined) return `${cycle.join(' comes after ')}: remove one of these`;
    return waitsForPredecessor(plan, predecessors, clock.now());
  }

  function refusalsOf(key: TargetKey, target: KubeObject | undefined): RefusedPod[] {
    const state = states.of(key);
    if (target !== undefined && !state.isRestored) state.refusals.restore(target);
    state.isRestored = true;
    return state.refusals.all();
  }

  return {
    plans,
    refusalsOf,
    contextOf(key, view) {
      count();
      const target = caches.target(key);
      if (slots.holds(key)) {
        const current = target && activePlan(memoryOf(target));
        const goal = current?.progress.goal ?? current?.spec.to.hash;
        slots.observe(key, goal, view.pods.filter((pod) => pod.available && pod.hash === goal).length);
      }
      const state = states.of(key);
      return {
        nodes: {
          get: (name) => {
            const node = caches.node(name);
            const status = node?.['status'] as
              | { conditions?: { type: string; status: string }[] }
              | undefined;
            return node && { conditions: conditionsOf(status?.conditions ?? []) };
          },
        },
        check: checks.resultOf(key),
        pulls: {
          nodes() {
            const nodes = caches.nodes();
            if (nodes instanceof ApiError) return { refused: nodes.status.message };
            return nodes ?? 'pending';
          },
          pods: target === undefined ? [] : caches.pullPodsOf(target),
          owner: target,
          refused: state.refusals.pull(),
        },
        refusals: refusalsOf(key, target),
        lastRefused: state.refusals.lastRefused,
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
    boundSince(key, { partition, selector }) {
      const state = states.of(key);
      const text = canonicalJson({ partition, selector: selector ?? null });
      if (state.bound?.text !== text) state.bound = { text, at: clock.now() };
      return state.bound.at;
    },
    enterQueue(key, { blocked, pending, accepted }) {
      const isQueued = (each: Blocked | undefined): boolean => each?.fact === 'queued';
      if (accepted !== undefined && isQueued(blocked))
        return slots.enter(key, slotOf(key, accepted.spec.group, true));
      const waits = plans(key).find(
        // A refused plan does not wait, and nothing in it is trusted.
        ({ plan }) => plan.refused === undefined && isQueued(pending.get(plan.name) ?? blocked),
      )?.plan;
      if (waits === undefined) {
        slots.dequeue(key);
        return false;
      }
      const slot = slotOf(key, waits.spec.group, false);
      if (clock.now() >= (predecessorsTimeoutAt(waits) ?? 0)) return slots.enter(key, slot);
      slots.wait(key, slot);
      return false;
    },
    settle(key, view, { accepted, blocked, pending, check, boundedBy }) {
      const state = states.of(key);
      state.isDecided = true;
      const goal = accepted?.progress.goal;
      // A revert whose pods are all at the target revision waits only for time. A run makes each of its pods there.
      const isRun = plannedKindOf(key)?.shape === 'Run';
      const arrived = goal !== undefined && !isRun && view.pods.every((pod) => pod.hash === goal);
      const isBlocked =
        arrived ||
        !takesSlot(view) ||
        view.replicas === 0 ||
        boundedBy !== undefined ||
        (blocked !== undefined && blocked.fact !== 'capacity');
      slots.note(key, key.namespace, !isBlocked && movesPods(accepted?.progress));
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
      refusals.accepted(action);
      creationBackoff.done(action);
    },
    deferral(key, target, revisions) {
      const found = states.of(key).creationBackoff.of(target);
      if (found === undefined || !revisions.some((name) => found.deferred.has(name))) return undefined;
      return { held: backoffHeld(found, key.namespace), until: found.requeueAt };
    },
    recorded: (key, revision, usual) => states.of(key).creationBackoff.created(revision, usual),
    notRefused: (key) => states.of(key).refusals.forget(),
    released(key) {
      slots.note(key, key.namespace, false);
      slots.dequeue(key);
      const state = states.find(key);
      if (state !== undefined) state.settledAs = undefined;
    },
    ended(key) {
      const state = states.find(key);
      if (state?.isDecided !== true) slots.dequeue(key);
      else state.isDecided = false;
    },
    forget(key) {
      slots.note(key, key.namespace, false);
      slots.dequeue(key);
      checks.want(key, undefined);
      waiting.delete(key);
      states.delete(key);
      wake(key);
    },
  };
}

/** Only a plan that moves pods holds a slot: a pending approval, a long soak or a pause must not block other plans. */
function movesPods(progress: Progress | undefined): boolean {
  return progress !== undefined && (progress.phase === 'Running' || columnOf(progress.phase) === 'Reverting');
}

/** An earlier process has recorded that its plan waited for a slot. */
function wasQueued(target: KubeObject): boolean {
  const { conditions = [] } = (target['status'] ?? {}) as { conditions?: Condition[] };
  return conditions.some(({ type, reason }) => type === HELD_CONDITION && reason === 'Queued');
}

function slotOf(key: TargetKey, group: string | undefined, begun: boolean): QueueSlot {
  return { isStarted: begun, group: group ?? '', namespace: key.namespace, name: key.name };
}
