import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSetView } from '../../semantics/cloneset/view.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import type { Envelope } from '../../semantics/plan/envelope.ts';
import { revise } from '../../semantics/revision/revise.ts';
import { statefulSetView } from '../../semantics/statefulset/view.ts';
import { SPEC_BOUNDS } from '../../semantics/template/bounds.ts';
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
  const kind = kindOf(resource);
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
  return kind.workload.observe({ ...empty, revisions }).decide(envelope, undefined, new Set());
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
