import type { InfluenceInGit } from '../influence/in-git.ts';
import type { Disruption } from '../limits/slots.ts';
import { isSameWorkload } from '../pod/workload.ts';
import { selectorPredicate } from '../values/selector.ts';
import { desiredAvailable } from './counts.ts';
import { normalizeBudget, type Operation } from './normalize.ts';

/** The operation of each write that the runtime does itself. It evicts no pod. */
export const OPERATION_OF: Readonly<Record<Disruption, Operation>> = {
  Delete: 'DELETE',
  Update: 'UPDATE',
  Resize: 'RESIZE',
};

/** What git shows of the slots of a budget. */
export const budgetInGit: InfluenceInGit = {
  covers(object) {
    const { coverage } = normalizeBudget(object);
    switch (coverage.by) {
      case 'selector': {
        const isSelected = selectorPredicate(coverage.selector);
        return ({ labels }) => isSelected(labels);
      }
      case 'workload':
        return ({ id, name }) => isSameWorkload(coverage.workload, { ...id, name });
      case 'nothing':
        return () => false;
    }
  },
  limit(object, how, pods) {
    const { limit, operations, total = pods } = normalizeBudget(object);
    if (limit === undefined || total <= 0 || !operations.has(OPERATION_OF[how])) return undefined;
    // A stated total may be of pods that git does not show, but what git shows beyond it is surplus.
    const present = Math.max(total, pods);
    const most = Math.max(present - desiredAvailable(limit, total), 0);
    return { path: ['spec', limit.field], value: limit.value, most, total: present };
  },
  limitsEvictions: (object) => normalizeBudget(object).operations.has('EVICT'),
};
