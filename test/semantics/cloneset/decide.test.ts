import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { actions, change, interrupted, made, midway, NEW, OLD } from './midway.ts';
import {
  actionText,
  broken,
  catchUp,
  createModel,
  historyOf,
  imageOf,
  NOON,
  runningPod,
  template,
} from './model.ts';

describe('creation (CS-1)', () => {
  test('seven pods with names of their own, both hash labels, state Normal and the gate', () => {
    const model = createModel({ spec: { replicas: 7 } });
    const { actions: decided } = model.decide();
    decided.forEach((action) => model.apply(action));
    expect(model.pods).toHaveLength(7);
    const [revision] = model.revisions;
    for (const pod of model.pods) {
      expect(pod.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(pod.metadata.labels).toEqual({
        app: 'web',
        'apps.kruise.io/cloneset-instance-id': pod.metadata.name.slice(4),
        'controller-revision-hash': revision?.metadata.name,
        'pod-template-hash': revision?.metadata.name.slice(4),
        'lifecycle.apps.kruise.io/state': 'Normal',
      });
      expect(pod.spec.readinessGates).toEqual([{ conditionType: 'InPlaceUpdateReady' }]);
      expect(pod.spec.containers[0]?.['imagePullPolicy']).toBe('Always');
      expect(pod.metadata.ownerReferences?.[0]).toMatchObject({ uid: 'uid-web', controller: true });
    }
    expect(new Set(model.pods.map((pod) => pod.metadata.name)).size).toBe(7);
  });

  test('decided twice, the pods are the same: a second create gets AlreadyExists', () => {
    const model = createModel();
    expect(actions(model)).toEqual(actions(model));
  });

  test('after a crash during the creates only the missing pods are created, with names of their own', () => {
    const model = createModel();
    const { actions: decided } = model.decide();
    const all = decided.map(actionText);
    decided.slice(1, 3).forEach((action) => model.apply(action));
    const done = model.run({}, 4);
    expect(model.pods).toHaveLength(5);
    expect(done.filter((text) => text === all[1] || text === all[2])).toEqual([]);
  });

  test('the name of a lost pod is not used again', () => {
    const model = createModel({ spec: { replicas: 1 } });
    const names = new Set<string>();
    for (let i = 0; i < 10; i++) {
      model.run({}, 5);
      expect(model.pods).toHaveLength(1);
      names.add(model.pods[0]?.metadata.name ?? '');
      model.pods = [];
    }
    expect(names.size).toBe(10);
  });

  test('scaleStrategy.maxUnavailable limits how many are created at once, and the rest waits (CS-4)', () => {
    const model = createModel({
      spec: { replicas: 4, minReadySeconds: 10, scaleStrategy: { maxUnavailable: 1 } },
    });
    const created: number[] = [];
    for (let i = 0; i < 120 && created.length < 4; i++) {
      if (model.run({}, 3).some((text) => text.startsWith('create'))) created.push(model.now);
      model.pods = model.pods.map((pod) => catchUp(pod, model.now));
      model.now += 1000;
    }
    const gaps = created.slice(1).map((at, i) => at - (created[i] ?? 0));
    expect(gaps).toHaveLength(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
  });

  test('no pod is created, updated or deleted while the target itself is being deleted (CS-45)', () => {
    const model = midway(3, 0);
    model.target.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(actions(model)).toEqual([]);
  });

  test('a target whose rules are not executed is not changed', () => {
    expect(actions(midway(3, 0), { touch: false })).toEqual([]);
  });
});

describe('on which revision a missing pod is created (CS-6)', () => {
  const cases: [string, number, number, JsonObject, Partial<Envelope>, string[]][] = [
    ['partition 4 of 6, two of each', 2, 2, { partition: 4 }, {}, ['old', 'old']],
    ['partition 50 % of 10, three of each', 3, 3, { partition: '50%' }, {}, ['old', 'old', 'new', 'new']],
    ['no step allows the new one', 3, 0, {}, { allowed: 0 }, ['old', 'old']],
    ['a step allows two', 3, 0, {}, { allowed: 2 }, ['new', 'new']],
    ['a step allows two, which are there', 2, 2, {}, { allowed: 2 }, ['old']],
    [
      'the bound of the plan is tighter than the partition',
      1,
      1,
      { partition: 1 },
      { bound: 4 },
      ['old', 'old', 'old'],
    ],
    ['a revert ignores both', 0, 3, { partition: 5 }, { goal: 'old', obeyPartition: false }, ['old', 'old']],
    [
      'frozen, not moving: lost pods are recreated on their revision',
      3,
      1,
      {},
      { allowed: 1, moving: false },
      ['old'],
    ],
  ];
  test.each(cases)('%s', (name, old, fresh, strategy, envelope, expected) => {
    const replicas = name.includes('of 10') ? 10 : name.includes('of 6') ? 6 : 5;
    const model = midway(old, fresh, { spec: { replicas }, strategy });
    const goal = envelope.goal === 'old' ? { goal: templateHash(template(OLD)) } : {};
    const texts = made(actions(model, { ...envelope, ...goal })).filter((text) => text.startsWith('create'));
    expect(texts.sort()).toEqual(expected.map((side) => `create at ${side === 'old' ? OLD : NEW}`).sort());
  });

  test('no pod is created on a revision without an object, and that is explained', () => {
    const { actions: decided, explanations } = midway(0, 2, { spec: { replicas: 3 } }).decide({
      stable: 'h1:gone',
      allowed: 2,
    });
    expect(decided).toEqual([]);
    expect(explanations).toEqual([
      { about: 'web', reason: 'no pod at h1:gone: its revision object is gone' },
    ]);
  });

  test('retained pods are recreated on their own revision', () => {
    const model = historyOf(['web:0', OLD, NEW], { spec: { replicas: 5 }, stable: OLD });
    model.pods = [runningPod(model, OLD, 'o0'), runningPod(model, OLD, 'o1'), runningPod(model, OLD, 'o2')];
    const held = { hash: templateHash(template('web:0')), n: 2 };
    const goal = templateHash(template(OLD));
    expect(made(actions(model, { goal, allowed: 3, retained: held, moving: false }))).toEqual([
      'create at web:0',
      'create at web:0',
    ]);
  });
});

describe('an update in place: drain, then patch, then the gate (OpenKruise inplace-update, 6.3; IU-1, IU-2, CS-31)', () => {
  test('one pod through all of it', () => {
    const model = midway(1, 0, { spec: { replicas: 1 }, strategy: { maxUnavailable: 1 } });
    expect(actions(model)).toEqual(['drain o0']);
    interrupted(model);
    expect(imageOf(model.pods[0] as Pod)).toBe(OLD);
    expect(actions(model)).toEqual(['update in place o0']);
    model.run({}, 1);
    expect(imageOf(model.pods[0] as Pod)).toBe(NEW);
    expect(actions(model)).toEqual([]);
    model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    expect(actions(model)).toEqual(['set InPlaceUpdateReady=True o0']);
    model.run({}, 1);
    model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    expect(actions(model)).toEqual([]);
    expect(model.available(model.pods[0] as Pod)).toBe(true);
    expect(model.pods[0]?.metadata.uid).toBe('uid-o0');
  });

  test('two tags of one image, of which the node always reports the first: the restart counts (IU-25)', () => {
    const model = midway(1, 0, { spec: { replicas: 1 }, strategy: { maxUnavailable: 1 } });
    model.run({}, 2);
    expect(imageOf(model.pods[0] as Pod)).toBe(NEW);
    const restarted = { name: 'main', image: OLD, imageID: `${OLD}@sha256`, restartCount: 1 };
    const running = { containerStatuses: [{ ...restarted, state: { running: {} } }] };
    change(model, 'o0', (pod) => ({ ...pod, status: { ...pod.status, ...running } }));
    const { actions: waits, requeueAt } = model.decide();
    expect([waits, requeueAt]).toEqual([[], model.now + 40_000]);
    model.now = requeueAt ?? 0;
    expect(actions(model)).toEqual(['set InPlaceUpdateReady=True o0']);
  });

  test('a pod that was drained is first in line, whatever breaks meanwhile', () => {
    const model = midway(4, 0, { spec: { replicas: 4 }, strategy: { maxUnavailable: 2 } });
    interrupted(model);
    expect(actions(model)).toEqual(['update in place o0', 'update in place o1']);
    change(model, 'o3', (pod) => broken(pod, model.now));
    expect(actions(model)).toEqual(['update in place o0', 'update in place o1']);
  });

  test('a drained pod that must not be updated any more gets its traffic back', () => {
    const model = midway(2, 0, { spec: { replicas: 2 }, strategy: { maxUnavailable: 1 } });
    interrupted(model);
    expect(actions(model, { allowed: 0 })).toEqual(['set InPlaceUpdateReady=True o0']);
  });

  test('metadata alone is one write, without a drain (IU-7)', () => {
    const model = midway(2, 0, { spec: { replicas: 2 }, strategy: { maxUnavailable: 1 } });
    model.setTemplate({
      metadata: { labels: { app: 'web', tier: 'gold' } },
      spec: { containers: [{ name: 'main', image: OLD }] },
    });
    model.decide();
    expect(actions(model)).toEqual(['update in place o0']);
    model.run({}, 10);
    expect(model.pods.map((pod) => pod.metadata.labels?.['tier'])).toEqual(['gold', 'gold']);
    expect(model.pods.every((pod) => model.available(pod))).toBe(true);
  });

  test('a pod without the gate is patched at once', () => {
    const model = midway(1, 0, { spec: { replicas: 1 } });
    change(model, 'o0', (pod) => ({ ...pod, spec: { ...pod.spec, readinessGates: [] } }));
    expect(actions(model)).toEqual(['update in place o0']);
  });

  test('an environment variable needs a new pod (CS-32)', () => {
    const model = midway(2, 0, { spec: { replicas: 2 }, strategy: { maxUnavailable: 1 } });
    model.setTemplate(template(OLD, { env: [{ name: 'A', value: 'b' }] }));
    expect(actions(model)).toEqual(['mark for recreation o0']);
    model.run({}, 1);
    expect(actions(model)).toEqual(['delete o0']);
    model.run({}, 1);
    expect(made(actions(model))).toEqual([`create at ${OLD}`]);
  });

  test.each([
    ['InPlaceOnly', { type: 'InPlaceOnly' }, {}, 'podUpdatePolicy is InPlaceOnly'],
    ['a plan of InPlace', {}, { mode: 'InPlace' as const }, 'the plan allows InPlace'],
  ])(
    'with %s a pod that must be recreated stays, and the reason is given',
    (_, strategy, envelope, reason) => {
      const model = midway(1, 0, { spec: { replicas: 1 }, strategy });
      model.setTemplate(template(OLD, { env: [{ name: 'A', value: 'b' }] }));
      const decision = model.decide(envelope);
      expect(decision.actions).toEqual([]);
      expect(decision.explanations.map((b) => b.reason).join()).toContain(reason);
    },
  );
});

describe('how many at once (CS-7, CS-9, CS-34, CS-41, CS-42)', () => {
  const drains = (n: number): string[] => Array.from({ length: n }, (_, i) => `drain o${i}`);
  const cases: [string, number, number, JsonObject, Partial<Envelope>, string[]][] = [
    ['25 % of 10, rounded up', 10, 0, { maxUnavailable: '25%' }, {}, drains(3)],
    [
      '25 % of 10 with surge: pods first',
      10,
      0,
      { maxUnavailable: '25%', maxSurge: '25%' },
      {},
      ['create', 'create', 'create'],
    ],
    [
      'none may be missing: extra pods first (CS-34, CS-8)',
      6,
      0,
      { maxUnavailable: 0, maxSurge: 2 },
      {},
      ['create', 'create'],
    ],
    ['99 % of 4 leaves one (CS-5)', 4, 0, { maxUnavailable: 2, partition: '99%' }, {}, drains(1)],
    [
      'the window of a step is lower',
      10,
      0,
      { maxUnavailable: 5 },
      { window: { maxUnavailable: 2 } },
      drains(2),
    ],
    ["the target's own is lower", 10, 0, { maxUnavailable: 1 }, { window: { maxUnavailable: 4 } }, drains(1)],
    ['a step allows two', 10, 0, { maxUnavailable: 5 }, { allowed: 2 }, drains(2)],
    ['two are there already', 8, 2, { maxUnavailable: 5 }, { allowed: 2 }, []],
    ['not moving', 10, 0, {}, { moving: false }, []],
    [
      'the last old pods are scaled in (case 16)',
      2,
      6,
      { maxUnavailable: 0, maxSurge: 2 },
      {},
      ['delete o0', 'delete o1'],
    ],
  ];
  test.each(cases)('%s', (name, old, fresh, strategy, envelope, expected) => {
    const replicas = name.includes('case 16') ? 6 : old + fresh;
    const model = midway(old, fresh, { spec: { replicas }, strategy });
    const texts = actions(model, envelope).map((text) => (text.startsWith('create') ? 'create' : text));
    expect(texts).toEqual(expected);
  });

  test('broken old pods first, and they use up nothing of the limit (CS-42)', () => {
    const model = midway(5, 0, { strategy: { maxUnavailable: 2 } });
    change(model, 'o3', (pod) => broken(pod, model.now));
    expect(actions(model)).toEqual(['drain o3', 'drain o0']);
  });

  test('two broken new ones use up the limit, also for broken old ones (case 10, CS-41)', () => {
    const model = midway(3, 2, { strategy: { maxUnavailable: 2 } });
    for (const name of ['n0', 'n1', 'o1']) change(model, name, (pod) => broken(pod, model.now));
    expect(actions(model)).toEqual([]);
  });

  test('pods on other revisions come first, but only within the limit that broken ones have left', () => {
    const model = historyOf(['web:0', OLD, NEW], { strategy: { maxUnavailable: 2 }, stable: OLD });
    model.pods = [
      ...['s0', 's1'].map((name) => broken(runningPod(model, OLD, name), NOON)),
      ...['a0', 'a1', 'a2'].map((name) => runningPod(model, 'web:0', name)),
    ];
    expect(actions(model)).toEqual([]);
    change(model, 's0', (pod) => catchUp(pod, model.now));
    expect(actions(model)).toEqual(['drain a0']);
  });

  test('paused: no pod changes, lost pods are replaced, new pods become ready (CS-10)', () => {
    const model = midway(4, 0, { strategy: { paused: true } });
    const done = model.run({}, 5);
    expect(made(done).filter((text) => text.startsWith('create'))).toEqual([`create at ${NEW}`]);
    model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    const after = model.run({}, 5);
    expect(after.some((text) => text.startsWith('set InPlaceUpdateReady=True'))).toBe(true);
    expect([...done, ...after].some((text) => text.startsWith('drain') || text.startsWith('mark'))).toBe(
      false,
    );
  });
});
