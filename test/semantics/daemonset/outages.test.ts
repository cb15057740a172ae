import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import * as fc from '../../property.ts';
import { NodeCluster, planOf } from './cluster.ts';
import { actions, type Given, hashOf, snapshotOf, step } from './model.ts';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'];
const all: Step = { id: 'all', update: { to: '100%' } };

/** How many nodes have the new image. */
const updated = (cluster: NodeCluster): number =>
  cluster.images.split(' ').filter((each) => each.endsWith('=2')).length;

test('in an outage no further node gets the new revision, whichever pods are lost', () => {
  fc.assert(
    fc.property(
      fc.subarray(NODES, { minLength: 2, maxLength: 4 }),
      fc.subarray(NODES),
      fc.integer({ min: 1, max: 4 }),
      (lost, without, minutes) => {
        const cluster = new NodeCluster('1', NODES.join(' '), { maxUnavailable: 1 }).run(2);
        cluster.plans = [planOf(['1'], '2', [all])];
        cluster.commit('2').run(minutes);
        for (const name of lost) cluster.setReady(name, false);
        cluster.run(1);
        const before = updated(cluster);
        for (const name of without) if (!lost.includes(name)) cluster.losePod(name);
        cluster.run(3);
        expect(updated(cluster)).toBeLessThanOrEqual(before);
        for (const name of lost) cluster.setReady(name, true);
        cluster.run(30);
        expect([cluster.state, updated(cluster)]).toEqual(['Succeeded Completed', 8]);
      },
    ),
    { numRuns: 8 },
  );
});

describe('a node that is down, and what it has', () => {
  /** The nodes that have the new revision for a plan, and whether their pods are available. */
  function shown(nodes: string, pods: string): string[] {
    const { rollout } = snapshotOf({ nodes, pods });
    const fresh = rollout.pods.filter(({ hash }) => hash === hashOf('new'));
    return fresh.map(({ unit, available }) => `${unit}${available ? '' : '!'}`);
  }

  test.each<[what: string, nodes: string, pods: string, rows: string[]]>([
    ['its pod', 'n1 n2d', 'n1 n2n!', ['n2!']],
    ['one that has failed', 'n1 n2d', 'n1 n2nf', ['n2!']],
    ['one that has succeeded', 'n1 n2d', 'n1 n2ns', ['n2!']],
    ['one that is being deleted', 'n1 n2d', 'n1 n2nt', ['n2!']],
    ['two of them', 'n1 n2d', 'n1 n2t n2nfy', ['n2!']],
    ['one that works beside one that has failed', 'n1 n2d', 'n1 n2f n2ny', ['n2']],
    ['it is back, and its pod has ended', 'n1 n2', 'n1 n2nf', []],
    ['with the taints of the outage', 'n1 n2r', 'n1 n2nf', []],
    ['it is Ready, and its pod is being deleted', 'n1 n2', 'n1 n2nt', []],
  ])('%s', (_what, nodes, pods, rows) => {
    expect(shown(nodes, pods)).toEqual(rows);
  });

  test('is counted in one way by what a step allows and by what it waits for', () => {
    const node = fc.constantFrom<[node: string, pod: string]>(
      ['', ''],
      ['', 'n'],
      ['d', ''],
      ['d', 'f'],
      ['d', 'n!'],
      ['d', 'nf'],
      ['d', 'ns'],
      ['d', 'nt'],
    );
    const worlds = fc.tuple(fc.array(node, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 8 }));
    fc.assert(
      fc.property(worlds, ([nodes, size]) => {
        const words = (which: 0 | 1): string => nodes.map((flags, n) => `n${n}${flags[which]}`).join(' ');
        const given: Given = { nodes: words(0), pods: words(1), rolling: { maxUnavailable: 8 } };
        const has = snapshotOf(given).rollout.pods.filter(({ hash }) => hash === hashOf('new')).length;
        const free = nodes.filter(([at, pod]) => at === '' && pod === '').length;
        const begun = actions(given, step(Math.min(size, nodes.length)));
        const more = Math.max(Math.min(size, nodes.length) - has, 0);
        expect(begun).toHaveLength(Math.min(more, free));
      }),
      { numRuns: 200 },
    );
  });

  test('a step whose only node is shut down takes no other, and waits for it', () => {
    const cluster = new NodeCluster('1', 'n1 n2 n3 n4 n5').run(2);
    const steps: Step[] = [{ id: 'one', update: { to: 1 } }, { id: 'ok', approve: {} }, all];
    cluster.plans = [planOf(['1'], '2', steps)];
    cluster.commit('2').run(1);
    const images = 'n1=1 n2=1 n3=1 n4=1 n5=2';
    expect(cluster.images).toBe(images);
    cluster.shutDown('n5').run(30);
    expect([cluster.state, cluster.images]).toEqual(['Running one', images]);
    cluster.setReady('n5', true).run(5);
    expect([cluster.state, cluster.images]).toEqual(['AwaitingApproval ok', images]);
  });
});
