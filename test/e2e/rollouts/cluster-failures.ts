import { approved, approve, begun, change, done, phase, podsAt } from './acts.ts';
import { hasAvailable } from './snapshot.ts';
import type { RolloutCase } from './suite.ts';

const FIRST = 'nginx:1.25';
const NEXT = 'nginx:1.27';

/** What happens to pods meanwhile. */
export const clusterFailures: RolloutCase[] = [
  {
    golden: 'scaled-meanwhile.txt',
    title: 'kubectl scale during a rollout: new pods get the old revision until it continues',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval', (snapshot) => hasAvailable(snapshot, 3, 1));
      await c.kubectl('scale cloneset web --replicas 5');
      await c.until('five pods', (snapshot) => hasAvailable(snapshot, 5, 1));
      await c.show();
      await approve(c);
      await done(c, 5);
    },
  },
  {
    golden: 'autoscaled.txt',
    title: 'an autoscaler scales out and in while a partition retains pods',
    async play(c) {
      await begun(c, { policy: 'Auto', replicas: 4 });
      await change(c, { policy: 'Auto', replicas: 4, image: NEXT, partition: 3 });
      await c.until('one new pod', (snapshot) => hasAvailable(snapshot, 4, 1));
      const scale = (replicas: number) =>
        c.kubectl(`patch cloneset web --subresource scale --type merge -p {"spec":{"replicas":${replicas}}}`);
      await scale(6);
      await c.until('six pods', (snapshot) => hasAvailable(snapshot, 6, 3));
      await c.show();
      await scale(2);
      await c.until('two pods', ({ pods, ...snapshot }) => hasAvailable({ pods, ...snapshot }, 2, 0));
      await c.show();
    },
  },
  {
    golden: 'pod-deleted.txt',
    title: 'a pod that is deleted during a rollout is recreated at its revision',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      const snapshot = await phase(c, 'AwaitingApproval', (observed) => hasAvailable(observed, 3, 1));
      const [old = ''] = podsAt(snapshot, FIRST);
      await c.kubectl(`delete pod ${old}`);
      await c.until('three pods', (observed) => hasAvailable(observed, 3, 1));
      await c.show();
      await approve(c);
      await done(c, 3);
    },
  },
  {
    golden: 'evicted.txt',
    title: 'a disruption budget rejects an eviction while pods are unavailable, and allows it later',
    needs: 'controllers',
    steps: approved,
    async play(c) {
      await begun(c);
      await c.kubectl('create poddisruptionbudget web --selector app=web --min-available 3');
      const evict = (name: string) =>
        c.kubectl(
          `create --raw /api/v1/namespaces/${c.namespace}/pods/${name}/eviction -f -`,
          JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }),
        );
      const budget = (allowed: number) =>
        c.kubectl(`wait pdb/web --for jsonpath={.status.disruptionsAllowed}=${allowed} --timeout 30s`);
      await budget(0);
      await change(c, { image: NEXT });
      const snapshot = await phase(c, 'AwaitingApproval', (observed) => hasAvailable(observed, 3, 1));
      const [old = ''] = podsAt(snapshot, FIRST);
      await evict(old);
      await c.kubectl('patch pdb web --type merge -p {"spec":{"minAvailable":2}}');
      await budget(1);
      await evict(old);
      await c.until(
        'three pods',
        (observed) => hasAvailable(observed, 3, 1) && !podsAt(observed, FIRST).includes(old),
      );
      await c.show();
      await approve(c);
      await done(c, 3);
    },
  },
  {
    golden: 'policies.txt',
    title: 'only the GitOps engine writes plans, and commands carry the name of their sender',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval', (snapshot) => hasAvailable(snapshot, 3, 1));
      c.note('Another user may neither write the plan nor send commands in the name of others:');
      await c.kubectl('patch rolloutplan cloneset-web --type merge -p {"spec":{"attempt":2}}');
      await c.kruise('approve CloneSet/web --by mona');
      await approve(c);
      await done(c, 3);
    },
  },
];
