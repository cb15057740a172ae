import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodRequest, PodReviewRules, Verdict } from '../kinds/admission.ts';
import type { Disruption } from '../limits/slots.ts';
import type { Pod } from '../pod/types.ts';
import { resizeOf } from '../template/resize.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';
import { exempting } from './coverage.ts';
import { entryEnd, hasSlot, slotsOf } from './entries.ts';
import { countedLimit, coveredBy, takenSlots, uncounted, wasNeverCounted } from './influence.ts';
import { linkedBudget } from './links.ts';
import { normalizeBudget, type Operation } from './normalize.ts';
import { REVIEW_CONDITIONS } from './policy.ts';
import { LINK_ANNOTATIONS } from './resource.ts';
import { hasUnavailableLabel, isSound } from './sound.ts';

/**
 * Takes a slot for each request about a linked pod (OpenKruise podunavailablebudget, rule 6.2): of requests at the same time no more pass
 * than there are slots. It decides as the policy does, which sees the numbers without changing them.
 */
export const budgetReview: PodReviewRules = {
  of: 'pods',
  operations: ['DELETE', 'EVICT', 'UPDATE', 'RESIZE'],
  conditions: REVIEW_CONDITIONS,
  failurePolicy: 'Fail',
  records: true,
  review,
};

const ALLOWED: Verdict = { is: 'allowed' };

function review(object: KubeObject, asked: PodRequest, now: number): Verdict {
  const { metadata } = asked.pod;
  const pod = asked.pod as Pod;
  if (linkedBudget(pod) !== object.metadata.name || !coveredBy(object)(pod)) return ALLOWED;
  const refused = (why: string): Verdict => ({
    is: 'refused',
    message: `it protects pod ${metadata.name}: ${why}`,
  });
  if (asked.operation === 'UPDATE' && linkedBudget(asked.after) !== object.metadata.name)
    return refused(`leave its annotation ${LINK_ANNOTATIONS[0]} as it is`);
  const operation = operationOf(object, asked);
  const budget = normalizeBudget(object);
  const slots = slotsOf(object);
  const isFree =
    operation === undefined ||
    !budget.operations.has(operation) ||
    exempting(budget)(pod) ||
    !isSound(pod, now) ||
    hasSlot(slots, pod, now) ||
    wasNeverCounted(object);
  if (isFree) return ALLOWED;
  if (uncounted(object) !== undefined) return refused('its pods are not counted, see its status');
  if (slots.desired === 0) return ALLOWED;
  // Were it renewed, a request that something else refuses would have it for ever.
  const end = entryEnd(slots, pod);
  if (end !== undefined && end > now)
    return refused(`its slot ends in ${Math.ceil((end - now) / 1000)}s, and can be taken again then`);
  // One whose time is over, but which nobody has removed, is counted as unavailable.
  if (end === undefined && countedLimit(slots, object.metadata.name).left <= 0)
    return refused(`${slots.desired} must stay available, and no more may become unavailable now`);
  return { is: 'recorded', status: takenSlots(object, [{ pod, how: HOW[operation] }], now) };
}

const HOW: Readonly<Record<Operation, Disruption>> = {
  DELETE: 'Delete',
  EVICT: 'Delete',
  UPDATE: 'Update',
  RESIZE: 'Resize',
};

/** What is done to the pod; undefined: nothing that takes a slot. */
function operationOf(object: KubeObject, asked: PodRequest): Operation | undefined {
  switch (asked.operation) {
    case 'DELETE':
    case 'EVICT':
      return asked.operation;
    case 'RESIZE': {
      const [before, after] = [asked.pod, asked.after].map(({ spec }) => ({ spec: objectOf(spec) }));
      const resize = resizeOf(before ?? {}, after ?? {});
      return resize !== undefined && resize.restarts.length > 0 ? 'UPDATE' : 'RESIZE';
    }
    case 'UPDATE': {
      const [before, after] = [asked.pod.metadata.labels, asked.after.metadata.labels];
      const isTakenOut = hasUnavailableLabel(after) && !hasUnavailableLabel(before);
      const isChanged = canonicalJson(asked.pod['spec']) !== canonicalJson(asked.after['spec']);
      return isTakenOut || isChanged || leaves(object, asked.after) ? 'UPDATE' : undefined;
    }
  }
}

/** Whether a change of labels takes a pod out of a budget, and so out of what its selector is for. */
function leaves(object: KubeObject, after: KubeObject): boolean {
  return normalizeBudget(object).coverage.by === 'selector' && !coveredBy(object)(after);
}
