import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { kinds } from '../../../semantics/registry/registry.ts';
import { textOf } from '../../../semantics/values/read.ts';
import { expectGolden } from '../../golden.ts';
import { fluxSpec, kstatusOf, stateOf } from './flux.ts';
import { type Scripts, startLua } from './lua.ts';
import { readStates } from './objects.ts';

let lua: Scripts;
beforeAll(async () => {
  lua = await startLua();
});
afterAll(() => lua.close());

type Health = readonly [argo: string, flux: string];

const over: Health = ['Healthy', 'Current'];
const underway: Health = ['Progressing', 'InProgress'];
const failed: Health = ['Degraded', 'Failed'];

/** By the tables of the two pages: what ends in `Stalled` has failed, `Ready` is over or waits for somebody else. */
const ofPlan: Readonly<Record<string, Health>> = {
  Ready: over,
  Reconciling: underway,
  Stalled: failed,
};

/** Why a target is held; another reason is one for which a person, or a commit, is waited for. */
const ofHeld: Readonly<Record<string, Health>> = {
  NoPlan: ['Suspended', 'InProgress'],
  PlanMissing: ['Suspended', 'InProgress'],
  Halted: failed,
  Aborted: failed,
  Reverted: failed,
  InvalidTarget: failed,
  UnsupportedSemantics: failed,
};
const waiting: Health = ['Suspended', 'Current'];

function healthOfTarget(target: JsonObject): Health {
  const { apiVersion, kind } = target as { apiVersion: string; kind: string };
  const check = fluxSpec.healthCheckExprs.find((each) => each.kind === kind);
  if (check === undefined) throw new Error(`there is no check of Flux for ${apiVersion} ${kind}`);
  const { status } = lua.healthOf(`${apiVersion.split('/')[0] ?? ''}_${kind}`, target);
  return [textOf(status), stateOf(check, target)];
}

const healthOfPlan = (plan: JsonObject): Health => [
  textOf(lua.healthOf(`plan.kruise.io_${textOf(plan['kind'])}`, plan)['status']),
  kstatusOf(plan),
];

describe.each(kinds.map((kind) => [kind.id.kind, kind] as const))('the objects of a %s', (_name, kind) => {
  const states = readStates(kind);

  test.each(states.flatMap(({ state, plan }) => (plan === undefined ? [] : [[state, plan] as const])))(
    'the plan is judged by its condition: %s',
    (state, plan) => {
      const [, type = ''] = /^\w+ (\w+)\//.exec(state) ?? [];
      expect(healthOfPlan(plan)).toEqual(ofPlan[type]);
    },
  );

  test.each(states.map(({ state, target }) => [state, target] as const))(
    'the target is judged by why it is held, else by how far it is: %s',
    (state, target) => {
      const reason = state.split(' | ')[1] ?? '';
      // The word or the numbers of the kind that say the same.
      const outcomes = { done: over, underway, failed };
      const own = outcomes[kind.facts.status.outcome(target as never)];
      expect(healthOfTarget(target)).toEqual(reason === 'not held' ? own : (ofHeld[reason] ?? waiting));
    },
  );
});

test('the health of every kind in every phase is as recorded', () => {
  const rows = kinds.flatMap((kind) =>
    readStates(kind).map(({ state, target, plan }) => {
      const [planState = '', held = ''] = state.split(' | ');
      const [ofArgo, ofFlux] = plan === undefined ? ['', ''] : healthOfPlan(plan);
      return [kind.id.kind, planState, ofArgo, ofFlux, held, ...healthOfTarget(target)];
    }),
  );
  const head = ['kind', 'plan', 'Argo CD', 'Flux', 'target is held', 'Argo CD', 'Flux'];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  expectGolden('health/table.md', [head, head.map(() => '---'), ...rows].map(line).join(''));
});
