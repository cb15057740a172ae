import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Action, type Explanation, inSequence } from '../../semantics/decision.ts';
import { isSnapshot } from '../../semantics/plan/memory.ts';
import { emptyContext } from '../../semantics/plan/rollout-view.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { reconcile } from '../../semantics/reconcile/reconcile.ts';
import type { Kind, ObservedObjects } from '../../semantics/kinds/kind.ts';
import type { Policy } from '../../semantics/plan/policy.ts';
import type { ShadowRecord } from './record.ts';

/** What would be done about a target, were it ours. */
export interface DryRunDecision {
  /** Those about pods. */
  actions: Action[];
  explanations: readonly Explanation[];
  /** What bounds it all, as a sentence. */
  bound: string;
  status: Readonly<Record<string, string | number | undefined>>;
  requeueAt: number | undefined;
  /** The fields for which the target would not be touched at all. */
  refused: readonly string[];
}

const CLAIM = 'PersistentVolumeClaim';

/** More than follow from one state: a mistake of ours must not keep the process busy. */
const MOST_ROUNDS = 8;

/**
 * Reconciles as a runtime that leads would, on this state of a target and without any plan; what it would put on record is
 * noted beside the revisions that are there. Undefined: nothing would be done, as the target is being deleted.
 */
export function dryRunDecision(
  kind: Kind,
  seen: Omit<ObservedObjects, 'takenNames' | 'now'>,
  record: ShadowRecord,
  policy: Policy,
  now: number,
): DryRunDecision | undefined {
  const real = seen.revisions.filter((object) => !isSnapshot(object));
  const side = {
    plans: [],
    commands: [],
    memory: [],
    progressClock: undefined,
    inSyncSince: 0,
    policy,
    context: emptyContext,
  };
  let { claims = [] } = seen;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const look = kind.work.observe({
      ...seen,
      claims,
      revisions: record.over(real),
      takenNames: new Set(),
      now,
    });
    const decided = reconcile(look, side, now);
    if (decided.do === 'record') {
      for (const write of decided.writes) if (write.do === 'actions') write.actions.forEach(record.apply);
      continue;
    }
    if (decided.do !== 'act') return undefined;
    // A pod goes in the look after its claims were marked.
    const marked = decided.actions.filter(({ kind: of, do: what }) => of === CLAIM && what === 'patch');
    if (marked.length > 0 && round + 1 < MOST_ROUNDS) {
      claims = claims.map((claim) => marked.reduce(marking, claim));
      continue;
    }
    return {
      // What is made after its claims is made all the same.
      actions: inSequence(decided.actions).filter((action) => action.kind === 'Pod'),
      explanations: decided.explanations,
      bound: decided.rolled.result.envelope.reason,
      status: decided.status as DryRunDecision['status'],
      requeueAt: decided.requeueAt,
      refused: [...look.rollout.unsupported, ...look.rollout.invalid],
    };
  }
  return undefined;
}

function marking(claim: KubeObject, action: Action): KubeObject {
  return action.do === 'patch' && action.name === claim.metadata.name ? patched(claim, action.body) : claim;
}
