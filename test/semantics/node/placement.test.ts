import { describe, expect, test } from 'vitest';
import { nodeOfPod, placementOf } from '../../../semantics/node/placement.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { ago, nodesOf, podsOf } from '../broadcastjob/model.ts';

describe('the node of a pod (OpenKruise broadcastjob, rule 6.1 step 8)', () => {
  const [pod] = podsOf({ nodes: '', pods: 'a?' }) as [Pod];

  test.each<[what: string, pod: Pod, node: string]>([
    ['assigned', pod, 'a'],
    ['scheduled elsewhere', { ...pod, spec: { ...pod.spec, nodeName: 'b' } }, 'b'],
    ['neither', { ...pod, spec: { containers: [] } }, ''],
  ])('%s', (_what, each, node) => {
    expect(nodeOfPod(each)).toBe(node);
  });

  test('the younger of two pods counts, and nothing is done about the other', () => {
    const young = { ...pod, metadata: { ...pod.metadata, name: 'fix-1', creationTimestamp: ago(1) } };
    for (const pods of [
      [pod, young],
      [young, pod],
    ]) {
      const { present, duplicates } = placementOf({}, pods, nodesOf('a'));
      expect(present).toEqual([young]);
      expect(duplicates).toEqual([{ pod, node: 'a' }]);
    }
  });

  test('a pod without a node counts, and holds no node', () => {
    const nowhere = { ...pod, spec: { containers: [] } };
    expect(placementOf({}, [nowhere], nodesOf('a'))).toMatchObject({
      desired: ['a'],
      rest: ['a'],
      present: [],
    });
  });
});
