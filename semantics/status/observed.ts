import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StatusFacts } from '../kinds/status-facts.ts';
import { HELD_CONDITION, UNCOUNTED_REASONS } from '../plan/held-condition.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { trueCondition } from './conditions.ts';

/** Whether the status of a target is about its present spec. */
export function isObserved({ observed }: Pick<StatusFacts, 'observed'>, target: KubeObject): boolean {
  const status = objectOf(target['status']);
  switch (observed.by) {
    case 'generation':
      return numberOf(status['observedGeneration']) === target.metadata.generation;
    case 'status':
      return Object.keys(status).length > 0;
  }
}

/** Whether the numbers in a status are about the present spec: one that cannot be carried out is observed, and not counted. */
export function isCounted(facts: Pick<StatusFacts, 'observed'>, target: KubeObject): boolean {
  const { reason = '' } = trueCondition(target, HELD_CONDITION) ?? {};
  return isObserved(facts, target) && !UNCOUNTED_REASONS.has(reason);
}
