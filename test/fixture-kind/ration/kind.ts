import {
  NOTHING_WHILE_HELD,
  type ObservedObjects,
  type StandingKind,
  type StandingSnapshot,
} from '../../../semantics/kinds/kind.ts';
import type { StandingStatusFacts } from '../../../semantics/kinds/status-facts.ts';
import { isObserved } from '../../../semantics/status/observed.ts';
import { decide } from './decide.ts';
import { rationInfluence } from './influence.ts';
import { rationResource, specOf, statusOf } from './spec.ts';

const status: StandingStatusFacts = {
  observed: { by: 'generation' },
  uncounted: {},
  health: { by: 'observation' },
  refusals: { in: 'Held alone' },
  outcome: (target) => (isObserved(status, target) ? 'done' : 'underway'),
  problems: () => [],
  compared: ({ allowed }) => ({ allowed: Number(allowed ?? 0) }),
  summary: (target) => `${statusOf(target).allowed ?? 0} more pods may be unavailable`,
};

/** A kind that exists for tests only: so many of its pods may be unavailable at once, whoever changes them. */
export const rationKind: StandingKind = {
  shape: 'Standing',
  id: { group: rationResource.group, kind: rationResource.kind },
  resource: rationResource,
  versions: ['v1'],
  needs: (target) => [
    { of: 'SelectedPods', selector: { matchLabels: { app: specOf(target).app } }, namespaces: undefined },
  ],
  uses: [{ of: 'SelectedPods' }],
  podTemplates: [],
  lowering: { of: 'nothing', why: 'a fixture has no plain form' },
  expires: false,
  admission: undefined,
  influence: rationInfluence,
  validate(target) {
    const { first = 0, total } = specOf(target);
    return first <= total ? [] : [{ path: ['spec', 'first'], rule: 'must be at most spec.total' }];
  },
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
  facts: { removal: () => undefined, status },
};

function observe(objects: ObservedObjects): StandingSnapshot {
  const invalid = rationKind.validate(objects.target);
  return {
    invalid,
    unsupported: [],
    decide: (held) => decide(objects, held),
    whileHeld: () => NOTHING_WHILE_HELD,
    release: () => [],
  };
}
