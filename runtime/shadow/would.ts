import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Action, type Because, inSequence } from '../../semantics/decision.ts';
import { advance } from '../../semantics/plan/advance.ts';
import { isSnapshot } from '../../semantics/plan/memory.ts';
import { nothingAround } from '../../semantics/plan/rollout-view.ts';
import type { Kind, ObservedObjects } from '../../semantics/kinds/kind.ts';
import type { Policy } from '../../semantics/plan/policy.ts';
import type { ShadowRecord } from './record.ts';

/** What would be done about a target, were it ours. */
export interface Would {
  /** Those about pods. */
  actions: Action[];
  because: readonly Because[];
  /** What bounds it all, as a sentence. */
  bound: string;
  status: CloneSetStatus;
  lookAgainAt: number | undefined;
  /** The fields for which the target would not be touched at all. */
  refused: readonly string[];
}

const CLAIM = 'PersistentVolumeClaim';

/** More than follow from one state: a mistake of ours must not keep the process busy. */
const MOST_ROUNDS = 8;

/**
 * Decides as a runtime that leads would, on this state of a target and without any plan: the same rules, whose writes to
 * revisions are noted beside those that are there.
 */
export function wouldDo(
  kind: Kind,
  seen: Pick<ObservedObjects, 'target' | 'pods' | 'revisions' | 'nodes' | 'claims'>,
  record: ShadowRecord,
  policy: Policy,
  now: number,
): Would {
  const real = seen.revisions.filter((object) => !isSnapshot(object));
  let { claims = [] } = seen;
  for (let round = 0; ; round += 1) {
    const look = kind.work.observe({
      ...seen,
      claims,
      revisions: record.over(real),
      takenNames: new Set(),
      now,
    });
    const revise = look.revise();
    if (revise.length > 0 && round < MOST_ROUNDS) {
      revise.forEach(record.apply);
      continue;
    }
    const result = advance({
      view: look.rollout,
      plans: [],
      commands: [],
      memory: [],
      ticker: undefined,
      inSyncSince: 0,
      policy,
      around: nothingAround,
      now,
    });
    const complete = result.writes.flatMap((write) =>
      write.do === 'complete' ? look.complete(write.hash, write.held) : [],
    );
    if (complete.length > 0 && round < MOST_ROUNDS) {
      complete.forEach(record.apply);
      continue;
    }
    const { stable } = look.rollout;
    const decision = look.decide(result.envelope, undefined, new Set([stable, result.envelope.goal]));
    // A pod goes in the look after its claims were marked.
    const marked = decision.actions.filter(({ kind: of, do: what }) => of === CLAIM && what === 'patch');
    if (marked.length > 0 && round < MOST_ROUNDS) {
      claims = claims.map((claim) => marked.reduce(withMetadata, claim));
      continue;
    }
    return {
      // What is made after its claims is made all the same.
      actions: inSequence(decision.actions).filter((action) => action.kind === 'Pod'),
      because: decision.because,
      bound: result.envelope.because,
      status: decision.status as CloneSetStatus,
      lookAgainAt: decision.lookAgainAt,
      refused: [...look.rollout.unsupported, ...look.rollout.invalid],
    };
  }
}

/** A claim as it would be: what is written of claims are annotations, and owners that are taken away. */
function withMetadata(claim: KubeObject, action: Action): KubeObject {
  if (action.do !== 'patch' || action.name !== claim.metadata.name) return claim;
  const { annotations, ownerReferences } = (action.body['metadata'] ?? {}) as {
    annotations?: Record<string, string | null>;
    ownerReferences?: { $patch?: string; uid: string }[];
  };
  const kept = Object.entries({ ...claim.metadata.annotations, ...annotations }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  const gone = new Set(
    (ownerReferences ?? []).filter((each) => each.$patch === 'delete').map(({ uid }) => uid),
  );
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      annotations: Object.fromEntries(kept),
      ownerReferences: (claim.metadata.ownerReferences ?? []).filter(({ uid }) => !gone.has(uid)),
    },
  };
}
