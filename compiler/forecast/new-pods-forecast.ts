import type { PlanPredecessor, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { awaitedNewPods, isForNewPods, shareOfNewPods } from '../../semantics/plan/new-pods.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { boundSelectorOf, changedBound, selectorText } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { isMutable } from '../validate/template-rules.ts';
import { gateText } from './gate-text.ts';
import { type Gates, gatesOf } from './gates.ts';
import { imagesOf } from './images.ts';

/** What a plan will do that changes no running pod, as far as git shows. */
export interface NewPodsForecast extends Gates {
  /** The only new pods that get the change; undefined: all do. */
  selector: string | undefined;
  /**
   * Of a continuation with another selector: whether steps share the change out to new pods that got none before, the last one gives
   * it to others, or every new pod gets it already.
   */
  continues: 'in steps' | 'at the end' | 'not at all' | undefined;
  fields: readonly ClassifiedField[];
  rows: readonly { id: string; gate: boolean; what: string }[];
  /** Whether the images cannot change: no container has a mutable tag. */
  reproducible: boolean;
  /** Targets whose rollouts must finish first. */
  after: readonly PlanPredecessor[];
  /** The group of the rollout queue. */
  group: string | undefined;
}

/** Predicts a plan that sets the share of new pods. Undefined for a change without a plan, and for one that changes pods. */
export function newPodsForecastOf(change: Change): NewPodsForecast | undefined {
  const { head, plan, classification } = change;
  if (head === undefined || plan === undefined || !isForNewPods(plan.spec)) return undefined;
  const { steps, after = [], group } = plan.spec;
  const continues = continuationOf(change);
  return {
    selector: boundSelectorOf(head.normal) && selectorText(head.normal),
    continues,
    fields: classification?.fields ?? [],
    rows: steps.map((step) => ({
      id: step.id,
      gate: step.update === undefined,
      what: step.update === undefined ? gateText(step) : shareText(step.update, continues),
    })),
    ...gatesOf(steps),
    reproducible: imagesOf(head.normal.template).every((image) => !isMutable(image, 'tag')),
    after,
    group,
  };
}

function continuationOf(change: Change): NewPodsForecast['continues'] {
  const { action, base, head } = change;
  if (action !== 'Bound' || changedBound(change) !== 'selector') return undefined;
  if (base === undefined || boundSelectorOf(base.normal) === undefined) return 'not at all';
  return head === undefined || boundSelectorOf(head.normal) === undefined ? 'in steps' : 'at the end';
}

function shareText(update: NonNullable<Step['update']>, continues: NewPodsForecast['continues']): string {
  const isAtEnd = continues === 'at the end' && update.to === '100%';
  if (continues !== undefined && continues !== 'in steps' && !isAtEnd) return 'no further new pod gets it';
  const count = awaitedNewPods(update);
  const pods = count === 1 ? 'one of them is' : `${count} of them are`;
  const until = count === 0 ? '' : `, until ${pods} available`;
  return update.to === '100%'
    ? `every new pod gets it${until}`
    : `${shareOfNewPods(update)}% of new pods get it${until}`;
}
