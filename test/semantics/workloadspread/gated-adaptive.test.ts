import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { PatchAction } from '../../../semantics/decision.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { decideSpread } from '../../../semantics/workloadspread/decide.ts';
import { MATCHED_ANNOTATION } from '../../../semantics/workloadspread/resource.ts';
import { deploymentOf, podOf, spreadOfDeployment } from './gates.ts';
import { NOW, withClosed } from './spreads.ts';

const adaptive = { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 5 } } };

function decided(target: KubeObject, pod: Pod, seconds: number) {
  const now = NOW + seconds * 1_000;
  const configs = [deploymentOf(1)];
  return decideSpread({ target, pods: [pod], configs, now }, undefined);
}

/** The pod as it is let go after so many seconds. */
function liftedAfter(target: KubeObject, seconds: number): Pod {
  const [action] = decided(target, podOf('web-1'), seconds).actions as PatchAction[];
  const { annotations } = objectOf(objectOf(action?.body)['metadata']);
  const pod = podOf('web-1', 'a');
  return { ...pod, metadata: { ...pod.metadata, annotations: annotations as Record<string, string> } };
}

const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }];
const unscheduled = (pod: Pod): Pod => ({ ...pod, status: { phase: 'Pending', conditions } });

test('a pod that waited for its place has its whole time to get a node there', () => {
  const target = spreadOfDeployment({ a: null, b: null }, adaptive);
  const pod = unscheduled(liftedAfter(target, 60));
  expect(decided(target, pod, 64)).toMatchObject({ actions: [], requeueAt: NOW + 65_000 });
  expect(decided(withClosed(target, ['a']), pod, 65).actions.map(({ do: does }) => does)).toContain('delete');
});

test('a time that is ahead, by another clock or by whoever writes the annotation, counts as now', () => {
  const target = spreadOfDeployment({ a: null, b: null }, adaptive);
  const pod = unscheduled(liftedAfter(target, 600));
  expect(decided(target, pod, 60).requeueAt).toBe(NOW + 65_000);
  const annotations = { [MATCHED_ANNOTATION]: '{"name":"spread","subset":"a","at":7}' };
  const unread = { ...pod, metadata: { ...pod.metadata, annotations } };
  expect(decided(withClosed(target, ['a']), unread, 5).actions.map(({ do: does }) => does)).toContain(
    'delete',
  );
});

test('the time is on record only where it counts', () => {
  const textOf = (target: KubeObject): string | undefined =>
    liftedAfter(target, 60).metadata.annotations?.[MATCHED_ANNOTATION];
  expect(textOf(spreadOfDeployment({ a: null, b: null }))).toBe('{"name":"spread","subset":"a"}');
  expect(textOf(spreadOfDeployment({ a: null, b: null }, adaptive))).toBe(
    '{"name":"spread","subset":"a","at":"2026-01-01T00:01:00Z"}',
  );
});
