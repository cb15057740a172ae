import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { ShownRefusals, StatusProblem } from '../kinds/status-facts.ts';
import { HELD_CONDITION } from '../plan/held-condition.ts';

/** The condition of a type, if it is True. */
export function trueCondition(target: KubeObject, type: string): Condition | undefined {
  const { conditions = [] } = (target['status'] ?? {}) as { conditions?: readonly Condition[] };
  return conditions.find((each) => each.type === type && each.status === 'True');
}

/** What a condition reports while it is True; none while it is not. */
export function problemOf(target: KubeObject, type: string, waitingOn = type): StatusProblem[] {
  const shown = trueCondition(target, type);
  return shown === undefined ? [] : [{ waitingOn, message: shown.message ?? '' }];
}

/** The writes that the conditions of a target report as refused. */
export function refusalProblems(target: KubeObject, shown: ShownRefusals): StatusProblem[] {
  switch (shown.in) {
    case 'conditions':
      return [shown.types.scale, shown.types.update].flatMap((type) => problemOf(target, type));
    case 'Held alone':
      return [];
  }
}

/** Why a target is held, if it is: the reason says what it waits on. */
export function heldProblem(target: KubeObject): StatusProblem[] {
  const { reason } = trueCondition(target, HELD_CONDITION) ?? {};
  return problemOf(target, HELD_CONDITION, reason ?? HELD_CONDITION);
}
