import type { Resource } from '../../../schemas/wire/cluster.ts';
import {
  NOTHING_WHILE_HELD,
  type ObservedObjects,
  type StandingKind,
  type StandingSnapshot,
} from '../../../semantics/kinds/kind.ts';
import { isObserved } from '../../../semantics/status/observed.ts';
import type { StandingStatusFacts } from '../../../semantics/kinds/status-facts.ts';
import { keepAdmission } from './admission.ts';
import { specOf, statusOf } from './spec.ts';

const resource: Resource = {
  group: 'test.plan.kruise.io',
  version: 'v1',
  plural: 'keeps',
  kind: 'Keep',
  namespaced: true,
};

const status: StandingStatusFacts = {
  observed: { by: 'generation' },
  uncounted: {},
  health: { by: 'observation' },
  refusals: { in: 'Held alone' },
  outcome: (target) => (isObserved(status, target) ? 'done' : 'underway'),
  problems: () => [],
  compared: () => ({}),
  summary: (target) => `${Object.keys(statusOf(target).taken).length} pods have gone`,
};

/** A kind that exists for tests only: so many of its pods may go. */
export const keepKind: StandingKind = {
  shape: 'Standing',
  id: { group: resource.group, kind: resource.kind },
  resource,
  versions: ['v1'],
  needs: () => [],
  uses: [],
  podTemplates: [],
  lowering: { of: 'nothing', why: 'a fixture has no plain form' },
  expires: false,
  admission: keepAdmission,
  influence: undefined,
  validate: (target) =>
    Object.keys(specOf(target).selector).length === 0
      ? [{ path: ['spec', 'selector'], rule: 'must not be empty' }]
      : [],
  unsupported: () => [],
  observe,
  git: {
    changedForever: () => [],
    effect: () => undefined,
    conflict: () => undefined,
    copies: () => undefined,
    spreads: () => undefined,
    selects: () => undefined,
    spreadsNative: [],
  },
  underPlan: undefined,
  facts: { removal: () => 'its pods are no longer kept', status },
};

/** What its admission records stays: a merge of the status does not name it. */
function observe({ target }: ObservedObjects): StandingSnapshot {
  return {
    invalid: keepKind.validate(target),
    unsupported: [],
    decide: () => ({
      actions: [],
      explanations: [],
      status: { observedGeneration: target.metadata.generation ?? 0 },
    }),
    whileHeld: () => NOTHING_WHILE_HELD,
    release: () => [],
  };
}
