import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { HealthFields } from '../../semantics/kinds/status-facts.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { fluxSpec, stateOf } from './health/flux.ts';

const held = (reason: string): JsonObject => ({
  type: HELD_CONDITION,
  status: 'True',
  reason,
  message: reason,
});

/** Statuses with the state that each is in while nothing holds the target. */
function statuses(health: HealthFields): [JsonObject, spec: JsonObject, state: string][] {
  switch (health.by) {
    case 'numbers': {
      const { wanted, updated, available } = health;
      const of = (want: number): [status: JsonObject, spec: JsonObject] =>
        wanted.of === 'spec' ? [{}, { [wanted.field]: want }] : [{ [wanted.field]: want }, {}];
      const numbers = (
        want: number,
        up: number,
        there: number,
        state: string,
      ): [JsonObject, JsonObject, string] => {
        const [status, own] = of(want);
        return [{ ...status, [updated]: up, [available]: there }, own, state];
      };
      return [
        numbers(3, 3, 3, 'Current'),
        numbers(3, 2, 2, 'InProgress'),
        // Of a kind that updates nothing both are one number.
        ...(updated === available ? [] : [numbers(3, 2, 3, 'InProgress'), numbers(3, 3, 2, 'InProgress')]),
        numbers(0, 0, 0, 'Current'),
        [of(1)[0], of(1)[1], 'InProgress'],
      ];
    }
    case 'phase':
      return [
        [{}, {}, 'InProgress'],
        [{ [health.field]: 'running' }, {}, 'InProgress'],
        [{ [health.field]: health.done }, {}, 'Current'],
        [{ [health.field]: health.paused }, {}, 'Current'],
        [{ [health.field]: health.failed }, {}, 'Failed'],
      ];
    case 'parts': {
      const { field, done, list, part, good, problem } = health;
      const ended = (...parts: string[]): JsonObject => ({
        [field]: done,
        [list]: parts.map((is) => ({ [part]: is })),
      });
      return [
        [{}, {}, 'InProgress'],
        [{ [field]: 'Pending', [list]: [{ [part]: 'Failed' }] }, {}, 'InProgress'],
        [{ [field]: done }, {}, 'Current'],
        [ended(good, good), {}, 'Current'],
        [ended(good, 'Failed'), {}, 'Failed'],
        [{ ...ended(good), [problem]: 'pod has gone' }, {}, 'Failed'],
      ];
    }
    case 'results': {
      const { wanted, ended, good, since } = health;
      const [other = good] = ended.filter((field) => field !== good);
      // Those that are good are among the ended ones, or beside them.
      const counted = (most: number, well: number, badly: number): JsonObject => {
        const count = ended.includes(good) ? badly : well + badly;
        return {
          ...{ [since]: '2026-01-01T00:00:00Z', [wanted]: most, [good]: well },
          ...(count > 0 && { [other]: count }),
        };
      };
      return [
        [{}, {}, 'InProgress'],
        [{ [wanted]: 0 }, {}, since === wanted ? 'Current' : 'InProgress'],
        [counted(3, 2, 0), {}, 'InProgress'],
        [counted(3, 3, 0), {}, 'Current'],
        [counted(0, 0, 0), {}, 'Current'],
        [counted(3, 2, 1), {}, 'Failed'],
      ];
    }
    case 'observation':
      return [[{}, {}, 'Current']];
  }
}

test('every kind has one check: with another one of the same kind Flux refuses the Kustomization', () => {
  const wanted = kinds.map(({ id, resource }) => [`${id.group}/${resource.version}`, id.kind]);
  expect(fluxSpec.healthCheckExprs.map(({ apiVersion, kind }) => [apiVersion, kind])).toEqual(wanted);
  expect(new Set(wanted.map(([, kind]) => kind)).size).toBe(wanted.length);
  expect(fluxSpec.wait).toBe(true);
});

describe.each(fluxSpec.healthCheckExprs.map((check) => [check.apiVersion, check.kind, check] as const))(
  'for Flux a %s %s',
  (_version, name, check) => {
    const health = kinds.find(({ id }) => id.kind === name)?.facts.status.health;
    if (health === undefined) throw new Error(`no kind ${name}`);
    const hasGeneration = kinds.find(({ id }) => id.kind === name)?.facts.status.observed.by === 'generation';
    const object = (status: JsonObject, own: JsonObject = {}): JsonObject => ({
      metadata: { name: 'web', generation: 2 },
      spec: own,
      status: { ...(hasGeneration && { observedGeneration: 2 }), ...status },
    });

    test('is in the state that its status says', () => {
      for (const [status, own, state] of statuses(health)) {
        const other = { type: 'Other', status: 'True', reason: 'Halted' };
        expect([status, stateOf(check, object(status, own))]).toEqual([status, state]);
        expect(stateOf(check, object({ ...status, conditions: [other] }, own))).toBe(state);
        if (hasGeneration)
          expect(stateOf(check, object({ ...status, observedGeneration: 1 }, own))).toBe('InProgress');
      }
    });

    test.each([
      ['NoPlan', 'InProgress'],
      ['AwaitingApproval', 'Current'],
      ['Bound', 'Current'],
      ['Paused', 'Current'],
      ['Halted', 'Failed'],
      ['Aborted', 'Failed'],
      ['Reverted', 'Failed'],
    ])('that is held by %s is %s', (reason, state) => {
      for (const [status, own, alone] of statuses(health)) {
        const found = stateOf(check, object({ ...status, conditions: [held(reason)] }, own));
        expect([status, found]).toEqual([
          status,
          alone === 'Failed' && state === 'Current' ? 'Failed' : state,
        ]);
      }
    });
  },
);
