import {
  NOTHING_WHILE_HELD,
  type ObservedObjects,
  type StandingKind,
  type StandingSnapshot,
} from '../kinds/kind.ts';
import { decideBudget } from './decide.ts';
import { budgetFacts } from './facts.ts';
import { budgetGit } from './git.ts';
import { budgetInfluence } from './influence.ts';
import { invalidBudget } from './invalid.ts';
import { budgetLowering } from './lowering.ts';
import { budgetNeeds, budgetUses } from './needs.ts';
import { budgetPolicy } from './policy.ts';
import { budgetReview } from './review.ts';
import { budgetResource } from './resource.ts';

/** The kind PodUnavailableBudget, for the registry: it limits how many of its pods are unavailable, whoever changes them. */
export const podUnavailableBudgetKind: StandingKind = {
  shape: 'Standing',
  id: { group: budgetResource.group, kind: budgetResource.kind },
  resource: budgetResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs: (target, _revisions, selected) => budgetNeeds(target, selected),
  uses: budgetUses,
  podTemplates: [],
  lowering: budgetLowering,
  expires: false,
  // While nobody answers, pods of budgets are not changed.
  admission: {
    option: 'exact-budgets',
    create: { of: 'none' },
    review: budgetReview,
    policy: budgetPolicy,
  },
  influence: budgetInfluence,
  validate: invalidBudget,
  unsupported: () => [],
  observe,
  git: budgetGit,
  facts: budgetFacts,
  underPlan: undefined,
};

function observe(objects: ObservedObjects): StandingSnapshot {
  return {
    invalid: invalidBudget(objects.target),
    unsupported: [],
    decide: (held) => decideBudget(objects, held),
    whileHeld: () => NOTHING_WHILE_HELD,
    release: () => [],
  };
}
