import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import type { Action } from '../../../semantics/decision.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { type Pod, REVISION_LABEL } from '../../../semantics/pod/types.ts';
import { scaleIntOrPercent } from '../../../semantics/values/int-or-percent.ts';
import { shareOf } from '../../lanes.ts';
import { broken, catchUp, createModel, imageOf, type Model, template } from './model.ts';

/** What happens between two reconciles: numbers select pods, so that a shrunk run is a valid run. */
interface Weather {
  ready: number[];
  breaks: number[];
  replicas?: number;
}

interface Run {
  replicas: number;
  policy: 'InPlaceIfPossible' | 'ReCreate';
  maxUnavailable: number | string;
  maxSurge: number;
  partition: number;
  allowed: number | 'unbounded';
  weather: Weather[];
}

const weather: fc.Arbitrary<Weather> = fc.record(
  {
    ready: fc.array(fc.nat(11), { maxLength: 4 }),
    breaks: fc.array(fc.nat(11), { maxLength: 1 }),
    replicas: fc.integer({ min: 0, max: 8 }),
  },
  { requiredKeys: ['ready', 'breaks'] },
);

const runs: fc.Arbitrary<Run> = fc.record({
  replicas: fc.integer({ min: 0, max: 8 }),
  policy: fc.constantFrom('InPlaceIfPossible' as const, 'ReCreate' as const),
  maxUnavailable: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('20%', '50%', '100%')),
  maxSurge: fc.integer({ min: 0, max: 3 }),
  partition: fc.integer({ min: 0, max: 6 }),
  allowed: fc.oneof(fc.constant('unbounded' as const), fc.integer({ min: 0, max: 8 })),
  weather: fc.array(weather, { maxLength: 30 }),
});

function start(run: Run): Model {
  const { replicas, policy, maxUnavailable, maxSurge, partition } = run;
  const model = createModel({
    spec: { replicas },
    strategy: { type: policy, maxUnavailable, maxSurge, partition },
  });
  for (let i = 0; i < 6; i++) {
    model.run({}, 1);
    settle(model);
  }
  model.setTemplate(template('web:2'));
  return model;
}

function settle(model: Model): void {
  model.pods = model.pods.map((pod) => catchUp(pod, model.now));
}

function replicasOf(model: Model): number {
  return (model.target['spec'] as { replicas: number }).replicas;
}

const isNew = (pod: Pod): boolean => imageOf(pod) === 'web:2';

function limits(model: Model, run: Run) {
  const replicas = replicasOf(model);
  const surge = run.maxSurge;
  const unavailable = scaleIntOrPercent(run.maxUnavailable, replicas, surge > 0 ? 'down' : 'up');
  const step = run.allowed === 'unbounded' ? replicas : run.allowed;
  return { replicas, surge, unavailable, most: Math.max(Math.min(step, replicas - run.partition), 0) };
}

/** I01, I03 and I04 for one action: what it may do to the present pods. */
function check(model: Model, action: Action, run: Run, before: readonly Pod[]): void {
  if (action.kind !== 'Pod') return;
  const { replicas, surge, unavailable, most } = limits(model, run);
  const after = model.pods;
  const wasAvailable = before.filter((pod) => model.available(pod)).length;
  const available = after.filter((pod) => model.available(pod)).length;
  if (available < wasAvailable)
    expect(available, `I01: ${action.verb}`).toBeGreaterThanOrEqual(replicas - unavailable);
  if (after.length > before.length) expect(after.length, 'I03').toBeLessThanOrEqual(replicas + surge);
  const [less, more] = [before.filter(isNew).length, after.filter(isNew).length];
  if (more > less) expect(more, `I04: ${action.verb}`).toBeLessThanOrEqual(most);
}

function pass(model: Model, run: Run): number {
  const envelope: Partial<Envelope> = { allowed: run.allowed };
  const { actions } = model.decide(envelope);
  const touched = actions.map((a) => (a.do === 'create' ? a.object.metadata.name : a.name));
  expect(new Set(touched).size, 'a pass touches each object once').toBe(touched.length);
  for (const action of actions) {
    const before = model.pods;
    model.apply(action);
    check(model, action, run, before);
  }
  return actions.length;
}

function blow(model: Model, { ready, breaks, replicas }: Weather): void {
  model.now += 5000;
  const hit = (list: readonly number[], i: number): boolean => list.includes(i);
  model.pods = model.pods.map((pod, i) => {
    if (hit(breaks, i) && pod.status?.phase === 'Running') return broken(pod, model.now);
    return hit(ready, i) ? catchUp(pod, model.now) : pod;
  });
  if (replicas !== undefined) {
    const spec = model.target['spec'] as Record<string, unknown>;
    model.target = { ...model.target, spec: { ...spec, replicas } };
  }
}

describe('whatever the pods do, no action breaks a limit (I01, I03, I04; CS-7, CS-8, CS-41, CS-42)', () => {
  test('with any faults, and without faults the rollout ends', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const model = start(run);
        for (const moment of run.weather) {
          blow(model, moment);
          pass(model, run);
        }
        let quiet = 0;
        for (let i = 0; i < 80 && quiet < 2; i++) {
          model.now += 60_000;
          settle(model);
          quiet = pass(model, run) === 0 ? quiet + 1 : 0;
        }
        expect(quiet, 'it comes to rest').toBe(2);
        const { replicas, unavailable, surge, most } = limits(model, run);
        expect(model.pods.filter((pod) => model.available(pod)).length).toBe(replicas);
        expect(model.pods.length).toBe(replicas);
        // Without maxUnavailable and surge nothing can be updated; else everything that is allowed was.
        if (unavailable > 0 || surge > 0)
          expect(model.pods.filter(isNew).length).toBeGreaterThanOrEqual(Math.min(most, replicas));
      }),
      { numRuns: shareOf(400, 0.25) },
    );
  });

  test('a name is never used twice, and the label is its id', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const model = start(run);
        const uidOf = new Map<string, string>();
        for (const moment of run.weather) {
          blow(model, moment);
          pass(model, run);
          for (const pod of model.pods) {
            const known = uidOf.get(pod.metadata.name) ?? pod.metadata.uid ?? '';
            expect(pod.metadata.uid).toBe(known);
            uidOf.set(pod.metadata.name, known);
            const revision = model.revisions.find(
              (r) => r.metadata.name === pod.metadata.labels?.[REVISION_LABEL],
            );
            const data = revision?.['data'] as { spec: { template: { spec: Pod['spec'] } } } | undefined;
            expect(data?.spec.template.spec.containers[0]?.image).toBe(imageOf(pod));
          }
        }
      }),
      { numRuns: shareOf(100, 0.25) },
    );
  });
});
