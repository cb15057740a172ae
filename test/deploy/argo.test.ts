import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as fc from '../property.ts';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { validateRolloutCommand } from '../../schemas/generated/validate/rolloutcommand.js';
import { kinds } from '../../semantics/registry/registry.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import type { HealthFields } from '../../semantics/kinds/status-facts.ts';
import { argoConfig, type Scripts, startLua } from './health/lua.ts';

let lua: Scripts;
beforeAll(async () => {
  lua = await startLua();
});
afterAll(() => lua.close());

const healthOf: Scripts['healthOf'] = (kind, object) => lua.healthOf(kind, object);

const held = (reason: string): JsonObject => ({
  type: HELD_CONDITION,
  status: 'True',
  reason,
  message: `because of ${reason}`,
});

const count = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });

/** An object of this kind as far as its health goes; a number may be absent, as in an old status. */
function objects(health: HealthFields): fc.Arbitrary<JsonObject> {
  const numbers = (...fields: string[]): fc.Arbitrary<JsonObject> =>
    fc.record(Object.fromEntries(fields.map((field) => [field, count]))) as fc.Arbitrary<JsonObject>;
  switch (health.by) {
    case 'numbers': {
      const { wanted, updated, available } = health;
      const [spec, status] = wanted.of === 'spec' ? [[wanted.field], []] : [[], [wanted.field]];
      return fc
        .record({ spec: numbers(...spec), status: numbers(updated, available, ...status) })
        .map((object) => object as JsonObject);
    }
    case 'phase':
      return fc
        .constantFrom(undefined, 'running', health.done, health.failed)
        .map((phase) => ({ spec: {}, status: phase === undefined ? {} : { [health.field]: phase } }));
    case 'parts': {
      const { field, done, list, part, good, problem } = health;
      const one = fc.constantFrom(good, 'Failed').map((is): JsonObject => ({ name: 'main', [part]: is }));
      return fc
        .record({
          [field]: fc.constantFrom('Pending', done),
          [list]: fc.array(one, { maxLength: 2 }),
          [problem]: fc.constantFrom('', 'pod has gone'),
        })
        .filter((status) => status[field] === done || status[problem] === '')
        .map((status) => ({ spec: {}, status: status as JsonObject }));
    }
    case 'results': {
      const { wanted, ended, good, since } = health;
      const number = fc.nat({ max: 3 });
      const [other = good] = ended.filter((field) => field !== good);
      return fc
        .record({ [wanted]: number, [good]: number, [other]: number, isCounted: fc.boolean() })
        .map(({ isCounted, [wanted]: most, ...counted }) => ({
          spec: {},
          status: {
            ...counted,
            ...((isCounted === true || since !== wanted) && { [wanted]: most }),
            ...(isCounted === true && since !== wanted && { [since]: '2026-01-01T00:00:00Z' }),
          } as JsonObject,
        }));
    }
    case 'observation':
      return fc.constant({ spec: {}, status: {} });
  }
}

describe.each(kinds.map((kind) => [kind.id.kind, kind] as const))('the health of a %s', (name, kind) => {
  const key = `${kind.id.group}_${name}`;
  const { status: facts } = kind.facts;

  test('agrees with its outcome, whatever is absent', () => {
    const healths = { done: 'Healthy', underway: 'Progressing', failed: 'Degraded' };
    fc.assert(
      fc.property(objects(facts.health), ({ spec = {}, status = {} }) => {
        const metadata = { name: 'web', namespace: 'shop', generation: 3 };
        const object = { metadata, spec, status: { ...(status as JsonObject), observedGeneration: 3 } };
        const own = { ...object, apiVersion: `${kind.id.group}/v1beta1`, kind: name };
        expect(healthOf(key, object)['status']).toBe(healths[facts.outcome(own)]);
      }),
      { numRuns: 60 },
    );
  });

  test('is Progressing until a runtime has looked', () => {
    const metadata = { name: 'web', generation: 2 };
    const unobserved: JsonObject[] =
      facts.observed.by === 'generation' ? [{ metadata, spec: {}, status: {} }] : [];
    for (const object of [{ metadata, spec: {} }, ...unobserved])
      expect(healthOf(key, object)).toEqual({ status: 'Progressing', message: 'waiting for the runtime' });
  });

  test.each([
    ['AwaitingApproval', 'Suspended'],
    ['NoPlan', 'Suspended'],
    ['Halted', 'Degraded'],
    ['Aborted', 'Degraded'],
    ['Reverted', 'Degraded'],
  ])('held by %s it is %s', (reason, status) => {
    const object = {
      metadata: { name: 'web', generation: 1 },
      spec: {},
      status: { observedGeneration: 1, conditions: [{ type: 'Other', status: 'True' }, held(reason)] },
    };
    expect(healthOf(key, object)).toEqual({ status, message: `because of ${reason}` });
  });
});

const plan = (status: RolloutPlan['status']): JsonObject =>
  ({
    metadata: { name: 'cloneset-web', namespace: 'shop', generation: 1 },
    spec: { target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' }, digest },
    ...(status !== undefined && { status }),
  }) as unknown as JsonObject;
const digest = 'h1:abfb82dc19222e292968598225460e86';

describe('a plan', () => {
  test.each<[string, RolloutPlan['status'], string]>([
    ['nobody has looked at', undefined, 'Progressing'],
    ['was just made', { observedGeneration: -1 }, 'Progressing'],
    ['was changed since', { observedGeneration: 0, conditions: [ready('True')] }, 'Progressing'],
    ['is Ready', { observedGeneration: 1, conditions: [ready('True')] }, 'Healthy'],
    ['is under way', { observedGeneration: 1, conditions: [ready('False')] }, 'Progressing'],
    [
      'is Stalled',
      { observedGeneration: 1, conditions: [ready('False'), { ...ready('True'), type: 'Stalled' }] },
      'Degraded',
    ],
  ])('that %s', (_what, status, health) => {
    expect(healthOf('plan.kruise.io_RolloutPlan', plan(status))['status']).toBe(health);
    expect(healthOf('plan.kruise.io_ClusterRolloutPlan', plan(status))['status']).toBe(health);
  });

  function ready(status: 'True' | 'False') {
    return { type: 'Ready', status, reason: 'A', lastTransitionTime: '2026-01-01T00:00:00Z' };
  }
});

interface Actions {
  'discovery.lua': string;
  definitions: { name: string; 'action.lua': string }[];
}

test('scripts have what Argo CD gives those of its ConfigMap', () => {
  const known = lua.run(
    'return { s = type(string), o = type(os), m = type(math), t = type(require("os").time) }',
    {},
  );
  expect(known).toEqual({ s: 'nil', o: 'nil', m: 'nil', t: 'function' });
  for (const script of [
    'return { ("a"):upper() }',
    'return require("os").execute()',
    'return require("string")',
  ])
    expect(() => lua.run(script, {})).toThrow(/string value|nil value|not found/);
});

describe.each(['RolloutPlan', 'ClusterRolloutPlan'])('the actions of a %s', (kind) => {
  const actions = parse(
    argoConfig[`resource.customizations.actions.plan.kruise.io_${kind}`] ?? '',
  ) as Actions;
  const enabled = (status: RolloutPlan['status']): string[] =>
    Object.entries(lua.run(actions['discovery.lua'], plan(status)))
      .filter(([, action]) => (action as JsonObject)['disabled'] === false)
      .map(([name]) => name)
      .sort();

  test.each<[string, RolloutPlan['status'], string[]]>([
    ['without a status', undefined, []],
    ['Pending', { phase: 'Pending', digest }, []],
    ['Running', { phase: 'Running', digest }, ['abort', 'pause', 'revert']],
    ['paused', { phase: 'Running', digest, pausedBy: 'mona' }, ['abort', 'resume', 'revert']],
    ['AwaitingApproval', { phase: 'AwaitingApproval', digest }, ['abort', 'approve', 'pause', 'revert']],
    ['Halted', { phase: 'Halted', digest }, ['abort', 'pause', 'resume', 'revert']],
    ['Succeeded', { phase: 'Succeeded', digest }, []],
    ['Running, another plan', { phase: 'Running', digest: 'h1:00000000000000000000000000000000' }, []],
  ])('%s', (_what, status, names) => {
    expect(enabled(status)).toEqual(names);
  });

  test('create the command that kruise creates', () => {
    for (const { name, 'action.lua': script } of actions.definitions) {
      const object = plan({ phase: 'AwaitingApproval', step: 'approve-1', digest });
      const created = lua.run(script, object)['1'] as JsonObject;
      expect(created['operation']).toBe('create');
      const command = created['resource'] as JsonObject;
      expect(validateRolloutCommand(command)).toEqual([]);
      expect(command).toMatchObject({
        kind: kind.replace('Plan', 'Command'),
        metadata: { namespace: 'shop' },
        spec: { digest, target: { kind: 'CloneSet', name: 'web' } },
      });
      // By the time: the same plan may come again, and wait at the same step.
      expect((command['metadata'] as JsonObject)['name']).toMatch(new RegExp(`^web-${name}-[0-9]{10}$`));
    }
  });
});
