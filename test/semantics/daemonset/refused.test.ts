import { expect, test } from 'vitest';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import * as fc from '../../property.ts';
import { type Given, ownStrategy, snapshotOf } from './model.ts';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];

/** The nodes that get a pod in so many reconciles, where the server refuses those of others each time. */
function createdIn(rounds: number, burst: number, refused: ReadonlySet<string>): string[] {
  const there: string[] = [];
  /** As the runtime counts them: a reconcile without a refusal ends them all. */
  const turns = new Map<string, number>();
  for (let round = 1; round <= rounds; round += 1) {
    const given: Given = {
      nodes: NODES.join(' '),
      pods: there.map((node) => `${node}n`).join(' '),
      spec: { burstReplicas: burst },
    };
    const { actions } = snapshotOf(given).decide(
      ownStrategy(),
      undefined,
      new Set(),
      [],
      undefined,
      (name) => turns.get(name) ?? 0,
    );
    expect(actions.length).toBeLessThanOrEqual(burst);
    let isRefused = false;
    for (const action of actions) {
      if (action.do !== 'create') continue;
      const node = nodeOfPod(action.object as Pod);
      if (refused.has(node)) {
        turns.set(action.object.metadata.name, turns.size + round * 100);
        isRefused = true;
      } else there.push(node);
    }
    if (!isRefused) turns.clear();
  }
  return there.sort();
}

test('nodes whose pods are refused each time keep no other node waiting, however small burstReplicas is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.subarray(NODES), (burst, refused) => {
      const others = NODES.filter((node) => !refused.includes(node));
      expect(createdIn(3 * NODES.length, burst, new Set(refused))).toEqual(others);
    }),
    { numRuns: 20 },
  );
});
