import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Units } from '../../semantics/plan/units.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { HELD_CONDITION, UNCOUNTED_REASONS } from '../../semantics/plan/held-condition.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { timed } from '../../semantics/conditions/times.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { stepVerb } from '../../semantics/plan/step.ts';
import type { TargetKey } from '../observe/target-key.ts';

/** What a reconcile observed of a target, for metrics and logs. */
export interface SnapshotReport {
  key: TargetKey;
  /** The target does not exist any more. */
  gone?: true;
  /** The active plan. `step` is an index, `verb` what that step does; undefined after the last one. */
  plan:
    | { digest: string; phase: string; step: number; verb: ReturnType<typeof stepVerb> | undefined }
    | undefined;
  /** Why the target is held, and since when, milliseconds since 1970. */
  held: { reason: string; message: string; since: number } | undefined;
  /** How many pods of others have nothing of the target; undefined: it creates its pods itself. */
  missed?: number | undefined;
  /** Since when the oldest of its pods has waited with a gate of its kind, milliseconds since 1970; undefined: none waits. */
  gatedSince?: number | undefined;
}

/**
 * @param held the condition Held that the target shows after this reconcile
 * @param units those that were decided on; omitted: nothing was decided
 */
export function snapshotReport(
  key: TargetKey,
  target: KubeObject,
  { accepted }: Pick<Advance, 'accepted'>,
  held: { reason: string; message: string } | undefined,
  now: number,
  units?: Units,
): SnapshotReport {
  const step = accepted?.spec.steps[accepted.progress.step];
  return {
    key,
    plan: accepted && {
      digest: accepted.spec.digest,
      phase: accepted.progress.phase,
      step: accepted.progress.step,
      verb: step && stepVerb(step),
    },
    held: held && { ...held, since: heldSince(target, held.reason, now) },
    missed: units?.of === 'selected' ? units.missed : undefined,
  };
}

/** Since when the target has shown this reason of Held, milliseconds since 1970; now if it does not show it yet. */
export function heldSince(target: KubeObject, reason: string, now: number): number {
  const { conditions = [] } = (target['status'] ?? {}) as { conditions?: Condition[] };
  const shown = conditions.find(
    (c) => c.type === HELD_CONDITION && c.reason === reason && c.status === 'True',
  );
  return Date.parse(shown?.lastTransitionTime ?? '') || now;
}

/**
 * The status of a target of which only the condition Held is written, and those besides it: everything else stays as it is.
 *
 * @param meanwhile the fields that do not (`WhileHeld`)
 */
export function heldStatus(
  { facts, shape }: Pick<Kind, 'facts' | 'shape'>,
  target: KubeObject,
  held: { reason: string; message: string },
  besides: readonly Condition[],
  now: number,
  meanwhile: JsonObject = {},
): object {
  const status = (target['status'] ?? {}) as { conditions?: Condition[] };
  const { conditions = [] } = status;
  const at = timestamp(heldSince(target, held.reason, now));
  const further = timed(besides, conditions, now);
  const written = new Set([HELD_CONDITION, ...besides.map(({ type }) => type)]);
  // Under a plan, programs that know no kind would take the numbers of an earlier spec for those of this one.
  const isObserved =
    shape === 'Standing' && facts.status.observed.by === 'generation' && UNCOUNTED_REASONS.has(held.reason);
  const rest = conditions.filter(({ type }) => !written.has(type));
  return {
    ...facts.status.uncounted,
    ...status,
    ...meanwhile,
    ...(isObserved && { observedGeneration: target.metadata.generation }),
    conditions: [
      ...rest,
      ...further,
      { type: HELD_CONDITION, status: 'True', ...held, lastTransitionTime: at },
    ],
  };
}
