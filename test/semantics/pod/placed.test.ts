import { describe, expect, test } from 'vitest';
import { createIntern } from '../../../runtime/observe/intern.ts';
import { classified } from '../../../semantics/broadcastjob/classify.ts';
import { decideBroadcastJob } from '../../../semantics/broadcastjob/decide.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import { candidateOf } from '../../../semantics/node/fit.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { type Given, jobOf, nodesOf, NOW, podsOf } from '../broadcastjob/model.ts';

const whole = (given: Given): Pod[] =>
  podsOf(given).map((pod) => ({
    ...pod,
    spec: { ...pod.spec, volumes: [{ name: 'etc', hostPath: { path: '/etc' } }] },
    status: { ...pod.status, initContainerStatuses: [{ name: 'first', restartCount: 2 }] },
  }));

/** What the rules read of a pod by which it is tested against a node. */
const HARD: Given = {
  restartPolicy: 'OnFailure',
  nodes: 'a b c',
  pods: 'a b+ c?',
  pod: {
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'out', operator: 'Exists' }],
    overhead: { cpu: '100m' },
    initContainers: [
      { name: 'first', image: 'fix:1', resources: { requests: { cpu: '3' } } },
      { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
    ],
    containers: [
      { name: 'main', image: 'fix:1', resources: { limits: { memory: '1Gi' } } },
      { name: 'other', image: 'fix:2', resources: { requests: { cpu: '200m' } } },
    ],
  },
};

describe('the projection of a pod whose target has nodes as units', () => {
  test('tests the same against a node as the whole pod', () => {
    const intern = createIntern();
    for (const pod of whole(HARD)) {
      const projected = projectPod(pod, intern, true);
      const [one, other] = [candidateOf(pod.spec), candidateOf(projected.spec)];
      expect(other.demand).toEqual(one.demand);
      expect(other.spec).toMatchObject({ nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'out' }] });
      expect(nodeOfPod(projected)).toBe(nodeOfPod(pod));
      expect(projected.spec['volumes']).toBeUndefined();
    }
  });

  test('counts restarts of every init container', () => {
    const intern = createIntern();
    const failed = (pods: readonly Pod[]): number => classified(pods, { restartLimit: 1 }).failed.length;
    const projected = whole(HARD).map((pod) => projectPod(pod, intern, true));
    expect([failed(whole(HARD)), failed(projected)]).toEqual([2, 2]);
  });

  test.each<Given>([
    { nodes: 'a b c', pods: 'a b+ c-', spec: { failurePolicy: { type: 'Continue' } } },
    { nodes: 'a! b~ c0', pods: 'a b c?' },
    { ...HARD, nodes: 'a b', pods: 'a3 b', spec: { failurePolicy: { type: 'Pause', restartLimit: 4 } } },
  ])('decides the same as the whole pod: %j', (given) => {
    const intern = createIntern();
    const decided = (pods: Pod[]): unknown =>
      decideBroadcastJob({
        job: jobOf(given),
        pods,
        nodes: nodesOf(given.nodes),
        takenNames: new Set(),
        now: NOW,
      });
    expect(decided(whole(given).map((pod) => projectPod(pod, intern, true)))).toEqual(decided(whole(given)));
  });

  test('shares everything with pods of the same template but the node', () => {
    const intern = createIntern();
    const [a, b] = whole(HARD).map((pod) => projectPod(pod, intern, true).spec);
    for (const field of ['containers', 'initContainers', 'tolerations', 'nodeSelector'])
      expect(a?.[field]).toBe(b?.[field]);
    expect(a?.['affinity']).not.toEqual(b?.['affinity']);
  });

  test('reads what runs in a pod that never ends as of any other target: it may be updated in place', () => {
    const status = {
      name: 'main',
      ready: true,
      restartCount: 1,
      image: 'fix:1',
      imageID: 'fix@sha256:1',
      state: { running: {} },
    };
    const running = (restartPolicy: string): Pod[] =>
      whole({ nodes: 'a', pods: 'a' }).map((pod) => ({
        ...pod,
        spec: { ...pod.spec, restartPolicy },
        status: { ...pod.status, containerStatuses: [status] },
      }));
    const [endless, other] = ['Always', 'Never'].map((policy) =>
      running(policy).map((pod) => projectPod(pod, createIntern(), true).status?.containerStatuses),
    );
    expect(endless).toEqual([[status]]);
    expect(other).toEqual([[{ name: 'main', restartCount: 1 }]]);
  });

  test('keeps a pod of any other target as small as before', () => {
    const [pod] = whole(HARD).map((each) => projectPod(each, createIntern()));
    const { containers, initContainers, ...rest } = pod?.spec ?? { containers: [] };
    expect(JSON.parse(JSON.stringify(rest))).toEqual({ nodeName: 'a' });
    expect(containers.map(({ resources }) => resources)).toEqual([undefined, undefined]);
    expect(initContainers).toEqual([{ name: 'proxy', restartPolicy: 'Always' }]);
  });
});
