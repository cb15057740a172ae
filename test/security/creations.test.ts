import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSetView } from '../../semantics/cloneset/view.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import type { Envelope } from '../../semantics/plan/envelope.ts';
import { revise } from '../../semantics/revision/revise.ts';
import { statefulSetView } from '../../semantics/statefulset/view.ts';
import { beyondBounds, beyondPods, SPEC_BOUNDS } from '../../semantics/template/bounds.ts';
import { cloneSet, createTestCluster, templateOf } from '../runtime/stage.ts';

/** A template with as many values as a list may have. */
function withArguments(): JsonObject {
  const template = templateOf('web', 'web:1') as { spec: { containers: JsonObject[] } };
  Object.assign(template.spec.containers[0] ?? {}, { args: Array(9_900).fill('x') });
  return template;
}

const ofKind = {
  CloneSet: { resource: resources.CloneSet, view: cloneSetView },
  StatefulSet: { resource: resources.StatefulSet, view: statefulSetView },
};

/** What one decision does about a target that has no pods yet. */
function decided(name: keyof typeof ofKind, spec: JsonObject) {
  const { resource, view } = ofKind[name];
  const kind = plannedKindOf(resource);
  if (kind === undefined) throw new Error(`${name} is registered`);
  const { metadata } = cloneSet('web', 'web:1');
  const selector = { matchLabels: { app: 'web' } };
  const target: KubeObject = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: name,
    metadata: { ...metadata, uid: 'target' },
    spec: { selector, template: templateOf('web', 'web:1'), ...spec },
  };
  const now = Date.UTC(2026, 0, 1);
  const empty = { target, pods: [], revisions: [], takenNames: new Set<string>(), now };
  const revisions = revise(view(empty), { exist: false, counted: () => [] }).flatMap((action) =>
    action.do === 'create' ? [action.object] : [],
  );
  const goal = view({ ...empty, revisions }).liveHash;
  const envelope: Envelope = {
    goal,
    stable: goal,
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    mode: 'Recreate',
    reason: 'test',
  };
  return kind.observe({ ...empty, revisions }).decide(envelope, undefined, new Set());
}

test.each<[kind: keyof typeof ofKind, spec: JsonObject]>([
  ['CloneSet', {}],
  ['StatefulSet', { podManagementPolicy: 'Parallel' }],
])(
  'a %s of as many pods as a cluster has creates some of them at a time, fewer of large ones',
  (kind, spec) => {
    const all = { ...spec, replicas: SPEC_BOUNDS.replicas };
    const { actions, explanations } = decided(kind, all);
    expect(actions.map(({ do: what }) => what)).toEqual(Array(500).fill('create'));
    expect(explanations.map(({ reason }) => reason)).toContain(
      'creates 500 of 150000 missing pods now: the others follow',
    );
    expect(decided(kind, { ...all, template: withArguments() }).actions).toHaveLength(20);
  },
);

test('the others follow', async () => {
  const stage = await createTestCluster(
    cloneSet('web', 'web:1', { replicas: 24, template: withArguments() }),
  );
  expect(await stage.pods()).toHaveLength(24);
  await stage.stop();
});

/** A CloneSet whose strategy has some thousands of terms. */
function withTerms(replicas: number): KubeObject {
  const weightPriority = Array.from({ length: 500 }, (_, at) => ({
    weight: 1,
    matchSelector: { matchLabels: { a: `${at}`, b: 'x', c: 'x' } },
  }));
  const web = cloneSet('web', 'web:1', { replicas });
  Object.assign(web['spec'] as JsonObject, { updateStrategy: { priorityStrategy: { weightPriority } } });
  return web;
}

test('a strategy of thousands of terms is not compared with hundreds of pods: not in git', () => {
  expect(beyondBounds(withTerms(500))).toBeUndefined();
  expect(beyondBounds(withTerms(900))?.rule).toMatch(/at most 2222 values in updateStrategy for 900 pods/);
});

test('a strategy of thousands of terms is not compared with hundreds of pods: nor where they exist', async () => {
  const stage = await createTestCluster(withTerms(900), { world: { nodes: 20 } });
  await stage.clock.advance(30_000);
  const target = await stage.user.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
  expect(JSON.stringify(target?.['status'])).toContain('InvalidTarget');
  const { items } = await stage.user.list(resources.Pod, { namespace: 'shop' });
  expect(items).toEqual([]);
  await stage.stop();
});

test('no pod is compared with them where there are more pods than replicas', () => {
  expect(beyondPods(withTerms(1), 500)).toBeUndefined();
  expect(beyondPods(withTerms(1), 1_000)?.rule).toMatch(/at most 2000 values/);
});
