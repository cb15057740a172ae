import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  NOTHING_WHILE_HELD,
  type ObservedObjects,
  type StandingKind,
  type StandingSnapshot,
} from '../../../semantics/kinds/kind.ts';
import type { StandingStatusFacts } from '../../../semantics/kinds/status-facts.ts';
import { HELD_CONDITION } from '../../../semantics/plan/held-condition.ts';
import { isObserved } from '../../../semantics/status/observed.ts';
import { trueCondition } from '../../../semantics/status/conditions.ts';
import { decide } from './decide.ts';
import { copyResource, specOf } from './spec.ts';

const resource: Resource = {
  group: 'test.plan.kruise.io',
  version: 'v1',
  plural: 'shelves',
  kind: 'Shelf',
  namespaced: true,
};

const status: StandingStatusFacts = {
  observed: { by: 'generation' },
  uncounted: {},
  health: { by: 'observation' },
  refusals: { in: 'Held alone' },
  outcome: (target) =>
    isObserved(status, target) && present(target) === specOf(target).copies ? 'done' : 'underway',
  problems(target) {
    const { reason, message } = trueCondition(target, HELD_CONDITION) ?? {};
    return reason === undefined ? [] : [{ waitingOn: reason, message: message ?? '' }];
  },
  compared: ({ copies }) => ({ copies: Number(copies ?? 0) }),
  summary: (target) => `${present(target)} of ${specOf(target).copies} copies`,
};

function present(target: KubeObject): number {
  return ((target['status'] ?? {}) as { copies?: number }).copies ?? 0;
}

/** A kind that exists for tests only: so many ConfigMaps of a text, written at once. */
export const shelfKind: StandingKind = {
  shape: 'Standing',
  id: { group: resource.group, kind: resource.kind },
  resource,
  versions: ['v1'],
  needs: () => [{ of: 'Children', resource: copyResource }],
  uses: [{ of: 'Children', resource: copyResource }],
  podTemplates: [],
  lowering: { of: 'nothing', why: 'a fixture has no plain form' },
  expires: false,
  admission: undefined,
  influence: undefined,
  validate: (target) =>
    specOf(target).text === '' ? [{ path: ['spec', 'text'], rule: 'must not be empty' }] : [],
  unsupported: (target) =>
    specOf(target).locked
      ? [{ path: ['spec', 'locked'], what: 'a lock that keeps copies where they are' }]
      : [],
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
  facts: {
    removal(manifest) {
      const { copies } = specOf(manifest);
      return copies === 0 ? undefined : `its ${copies} copies are deleted with it`;
    },
    status,
  },
};

function observe(objects: ObservedObjects): StandingSnapshot {
  const { target } = objects;
  return {
    invalid: shelfKind.validate(target),
    unsupported: shelfKind.unsupported(target),
    decide: (held) => decide(objects, held),
    whileHeld: () => NOTHING_WHILE_HELD,
    release: () => [],
  };
}
