import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Action, type Explanation, inSequence } from '../../semantics/decision.ts';
import { isSnapshot } from '../../semantics/plan/memory.ts';
import { emptyContext } from '../../semantics/plan/rollout-context.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { reconcile } from '../../semantics/reconcile/reconcile.ts';
import { reconcileStanding } from '../../semantics/reconcile/reconcile-standing.ts';
import { objectOf } from '../../semantics/values/read.ts';
import {
  isPlanned,
  type Kind,
  type ObservedObjects,
  type PlannedKind,
  type StandingKind,
} from '../../semantics/kinds/kind.ts';
import type { Policy } from '../../semantics/policy.ts';
import type { ShadowRecord } from './record.ts';

/** What limits a decision about a target without plans. */
const AT_ONCE = 'it is reconciled at once';

/** The decision that the runtime would make about a target. */
export interface DryRunDecision {
  /** The actions on pods. */
  actions: Action[];
  explanations: readonly Explanation[];
  /** What limits the decision, as a sentence. */
  bound: string;
  status: JsonObject;
  /** The revision of the manifest, as the status names it; undefined: it names none. */
  updateRevision: string | undefined;
  requeueAt: number | undefined;
  /** The unsupported or invalid fields, because of which the target would be held. */
  refused: readonly string[];
}

const CLAIM = 'PersistentVolumeClaim';

/** More rounds than one state can require: a bug must not keep the process busy. */
const MOST_ROUNDS = 8;

/**
 * Makes the decision of a runtime that leads, about this state of a target and without any plan. Records go to `record`
 * instead of the cluster. Undefined: there is no decision, because the target is being deleted.
 */
export function dryRunDecision(
  kind: Kind,
  observed: Omit<ObservedObjects, 'takenNames' | 'now'>,
  record: ShadowRecord,
  policy: Policy,
  now: number,
): DryRunDecision | undefined {
  return isPlanned(kind)
    ? plannedDecision(kind, observed, record, policy, now)
    : standingDecision(kind, { ...observed, takenNames: new Set(), now });
}

/** There is nothing to record, so that one round decides. */
function standingDecision(kind: StandingKind, objects: ObservedObjects): DryRunDecision | undefined {
  const snapshot = kind.observe(objects);
  const decided = reconcileStanding(snapshot, objects.target, []);
  const fields = [...snapshot.unsupported, ...snapshot.invalid].map(({ path }) => path.join('.'));
  switch (decided.do) {
    case 'nothing':
      return undefined;
    case 'hold':
      return {
        ...{ actions: [], explanations: [], bound: AT_ONCE, status: objectOf(objects.target['status']) },
        ...{ updateRevision: undefined, requeueAt: undefined, refused: fields },
      };
    case 'act':
      return {
        actions: onPods(decided.actions),
        explanations: decided.explanations,
        bound: AT_ONCE,
        status: decided.status as JsonObject,
        updateRevision: undefined,
        requeueAt: decided.requeueAt,
        refused: fields,
      };
  }
}

/** Those of a decision that are compared. */
function onPods(actions: readonly Action[]): Action[] {
  return inSequence(actions).filter((action) => action.kind === 'Pod');
}

function plannedDecision(
  kind: PlannedKind,
  observed: Omit<ObservedObjects, 'takenNames' | 'now'>,
  record: ShadowRecord,
  policy: Policy,
  now: number,
): DryRunDecision | undefined {
  const real = observed.revisions.filter((object) => !isSnapshot(object));
  const side = {
    plans: [],
    commands: [],
    memory: [],
    progressClock: undefined,
    inSyncSince: 0,
    policy,
    context: emptyContext,
  };
  let { claims = [] } = observed;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const snapshot = kind.observe({
      ...observed,
      claims,
      revisions: record.over(real),
      takenNames: new Set(),
      now,
    });
    const decided = reconcile(snapshot, side, now);
    if (decided.do === 'record') {
      for (const write of decided.writes) if (write.do === 'actions') write.actions.forEach(record.apply);
      continue;
    }
    if (decided.do !== 'act') return undefined;
    // A pod is deleted in the reconcile after its claims were marked.
    const marked = decided.actions.filter(({ kind: of, do: what }) => of === CLAIM && what === 'patch');
    if (marked.length > 0 && round + 1 < MOST_ROUNDS) {
      claims = claims.map((claim) => marked.reduce(marking, claim));
      continue;
    }
    const status = decided.status as JsonObject;
    return {
      // Pods whose creation waits for their claims count as well.
      actions: onPods(decided.actions),
      explanations: decided.explanations,
      bound: decided.rolloutResult.result.envelope.reason,
      status,
      updateRevision: kind.facts.status.revisions(status).update,
      requeueAt: decided.requeueAt,
      refused: [...snapshot.rollout.unsupported, ...snapshot.rollout.invalid],
    };
  }
  return undefined;
}

function marking(claim: KubeObject, action: Action): KubeObject {
  return action.do === 'patch' && action.name === claim.metadata.name ? patched(claim, action.body) : claim;
}
