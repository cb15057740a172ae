import { describe, expect, test } from 'vitest';
import * as fc from '../property.ts';
import type { Checks } from '../../runtime/check/checks.ts';
import type { Caches } from '../../runtime/observe/caches.ts';
import type { TargetKey } from '../../runtime/observe/target-key.ts';
import { createStates } from '../../runtime/reconcile/state.ts';
import { createRolloutContexts } from '../../runtime/plan/rollout-contexts.ts';
import { createPlanReader } from '../../runtime/plan/read.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { cloneSetKey } from './keys.ts';
import { planOf } from './stage.ts';

const reader = createPlanReader((use) => (use === 'smoke' ? undefined : `there is no ${use}`));
const read = (object: KubeObject) => reader(object, 0);

describe('only an unchanged plan is trusted', () => {
  const plan = (): KubeObject => planOf('web', 'web:1', 'web:2');
  const edited = (edit: (spec: Record<string, unknown>) => void, sign = false): KubeObject => {
    const object = structuredClone(plan());
    const spec = object['spec'] as Record<string, unknown>;
    edit(spec);
    if (sign) spec['digest'] = planDigest(spec as unknown as RolloutPlanSpec);
    return object;
  };

  test('an unchanged plan is verified', () => {
    expect(read(plan()).refused).toBeUndefined();
  });

  const changes: [string, (spec: Record<string, unknown>) => void][] = [
    ['a larger step', (s) => void (s['steps'] = [{ id: 'all', update: { to: '99%' } }])],
    ['another goal', (s) => void (s['to'] = { hash: 'h1:00000000000000000000000000000000', bound: {} })],
    ['another mode', (s) => void (s['from'] = [])],
    ['another digest', (s) => void (s['digest'] = 'h1:00000000000000000000000000000000')],
    ['an attempt', (s) => void (s['attempt'] = 2)],
  ];
  test.each(changes)('%s by hand: Unverified', (_, edit) => {
    expect(read(edited(edit)).refused?.reason).toBe('Unverified');
  });

  const unknown: [string, (spec: Record<string, unknown>) => void, string][] = [
    ['a field of the spec', (s) => void (s['colour'] = 'red'), 'Unverified'],
    [
      'a field of a step',
      (s) => void (s['steps'] = [{ id: 'a', update: { to: 1, soon: true } }]),
      'Unverified',
    ],
    ['a verb', (s) => void (s['steps'] = [{ id: 'a', dance: {} }]), 'Unverified'],
    [
      'two verbs in one step',
      (s) => void (s['steps'] = [{ id: 'a', approve: {}, soak: { for: '1m' } }]),
      'Unverified',
    ],
    ['a format', (s) => void (s['format'] = '2'), 'UnsupportedSemantics'],
    ['a version of the rules', (s) => void (s['semantics'] = '2'), 'UnsupportedSemantics'],
    ['a run', (s) => void (s['steps'] = [{ id: 'a', run: { to: 1 } }]), 'UnsupportedSemantics'],
    [
      'a pull for a kind without pods',
      (s) => {
        s['target'] = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'AdvancedCronJob', name: 'nightly' };
        s['steps'] = [{ id: 'a', pull: { images: ['web:2'] } }];
      },
      'UnsupportedSemantics',
    ],
    [
      'a step for nodes of a kind whose units are pods',
      (s) => void (s['steps'] = [{ id: 'a', update: { to: 1, nodes: { matchLabels: { a: 'b' } } } }]),
      'UnsupportedSemantics',
    ],
    [
      'a step by failure domains of such a kind',
      (s) => void (s['steps'] = [{ id: 'a', update: { to: 1, spread: 'zone' } }]),
      'UnsupportedSemantics',
    ],
    [
      'a step by subset of a kind without subsets',
      (s) =>
        void (s['steps'] = [
          { id: 'a', update: { to: 1, subsets: ['a'] } },
          { id: 'b', update: { to: '100%' } },
        ]),
      'UnsupportedSemantics',
    ],
    [
      'a last step by subset',
      (s) => {
        s['target'] = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment', name: 'web' };
        s['steps'] = [
          { id: 'a', update: { to: '100%', subsets: ['a'] } },
          { id: 'b', approve: {} },
        ];
      },
      'UnsupportedSemantics',
    ],
    ['a check', (s) => void (s['steps'] = [{ id: 'a', check: { use: 'magic' } }]), 'UnsupportedSemantics'],
    [
      'an argument of a check',
      (s) => void (s['steps'] = [{ id: 'a', check: { use: 'pods', args: { colour: 'red' } } }]),
      'UnsupportedSemantics',
    ],
    [
      'a kind it comes after',
      (s) => void (s['after'] = [{ kind: 'Deployment', name: 'db' }]),
      'UnsupportedSemantics',
    ],
  ];
  test.each(unknown)(
    '%s that this runtime does not know, with a valid digest: refused',
    (_, edit, reason) => {
      expect(read(edited(edit, true)).refused?.reason).toBe(reason);
    },
  );

  test.each([{ use: 'pods', args: { available: '80%' } }, { use: 'nodes' }, { use: 'smoke', for: '1m' }])(
    'a configured check: %j',
    (check) => {
      const steps = [
        { id: 'a', update: { to: 1 } },
        { id: 'b', check },
      ];
      expect(read(edited((s) => void (s['steps'] = steps), true)).refused).toBeUndefined();
    },
  );

  test('steps over nodes of a kind whose units are nodes', () => {
    const { refused } = read(
      edited((s) => {
        s['target'] = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', name: 'log' };
        s['steps'] = [{ id: 'a', update: { to: 1, nodes: { matchLabels: { a: 'b' } }, spread: 'zone' } }];
      }, true),
    );
    expect(refused).toBeUndefined();
  });

  test('steps by subset of a kind with subsets', () => {
    const { refused } = read(
      edited((s) => {
        s['target'] = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment', name: 'web' };
        s['steps'] = [
          { id: 'a', update: { to: '100%', subsets: ['a', 'b'] } },
          { id: 'b', update: { to: '100%' } },
        ];
      }, true),
    );
    expect(refused).toBeUndefined();
  });

  test('nothing of the spec of a refused plan is used', () => {
    const { spec } = read(edited((s) => void (s['colour'] = 'red')));
    expect([spec.steps, spec.from, spec.to.hash]).toEqual([[], [], '']);
  });

  const of = (spec: unknown): KubeObject => ({ ...plan(), spec });

  test('any JSON as a spec is refused without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (spec) => {
        expect(read(of(spec)).refused).toBeDefined();
      }),
      { numRuns: 500 },
    );
    const paths = ['format', 'semantics', 'target', 'to', 'from', 'supersedes', 'attempt', 'steps', 'digest'];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 3 }), (path, value) => {
        const spec = { ...(plan()['spec'] as Record<string, unknown>), [path]: value };
        const { refused } = read(of(spec));
        const untouched = JSON.stringify(spec) === JSON.stringify(plan()['spec']);
        expect(refused === undefined).toBe(untouched);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['digest', { toString: 1, valueOf: 1 }],
    ['format', { toString: 1, valueOf: 1 }],
    ['steps', [null]],
    ['steps', { length: 1 }],
    ['from', [{ hash: null }]],
  ])('%s: %j', (path, value) => {
    expect(read(of({ ...(plan()['spec'] as object), [path]: value })).refused).toBeDefined();
  });

  test.each([undefined, null, 0, '', [], 'spec'])('a spec that is %j', (spec) => {
    expect(read(of(spec)).refused).toBeDefined();
  });
});

describe('how often a plan is verified', () => {
  const smoke: Step = { id: 'smoke', check: { use: 'smoke' } };

  // Each pass verified each plan of its target up to four times, those of its predecessors too.
  test('once for each change of its object', async () => {
    let verified = 0;
    const clock = createVirtualClock(0);
    const plan = planOf('web', 'web:1', 'web:2', { steps: [{ id: 'all', update: { to: '100%' } }, smoke] });
    let objects = [{ ...plan, metadata: { ...plan.metadata, uid: 'plan', generation: 1 } }];
    const caches = {
      plansOf: () => objects,
      target: () => undefined,
      targets: () => [],
    } as unknown as Caches;
    const refusal = (): undefined => {
      verified += 1;
      return undefined;
    };
    const contexts = createRolloutContexts({
      caches,
      states: createStates({ cluster: {} as Cluster, caches, clock }),
      checks: { refusal, resultOf: () => undefined } as unknown as Checks<TargetKey>,
      clock,
      maxRunning: 1,
      enqueue: () => undefined,
    });
    for (let reconcile = 0; reconcile < 3; reconcile += 1) {
      const [found] = contexts.plans(cloneSetKey());
      expect(found?.plan.refused).toBeUndefined();
    }
    expect(verified).toBe(1);
    objects = objects.map((object) => ({ ...object }));
    contexts.plans(cloneSetKey());
    expect(verified).toBe(2);
  });
});
