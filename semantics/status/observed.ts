import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StatusFacts } from '../kinds/status-facts.ts';
import { numberOf, objectOf } from '../values/read.ts';

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
