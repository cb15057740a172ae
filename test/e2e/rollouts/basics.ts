import { type ClusterSnapshot, hasAvailable, phaseOf } from './snapshot.ts';
import { web } from './manifest.ts';
import type { RolloutCase } from './suite.ts';

const inBatches = `steps:
  - match: {}
    batches: [{ to: 1 }, { to: 100% }]
    between: { soak: 2s }
    approve: [1]
`;

export const basics: RolloutCase[] = [
  {
    golden: 'first-creation.txt',
    title: 'the first pods are created without a plan',
    async play(c) {
      await c.commit(web());
      await c.sync();
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.show();
      await c.status();
    },
  },
  {
    golden: 'in-place.txt',
    title: 'policy Auto: an image change is made in place',
    async play(c) {
      await c.commit(web({ policy: 'Auto' }));
      await c.kubectl('apply -f manifests');
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await c.kubectl(
        'patch cloneset web --type json -p [{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:1.27"}]',
      );
      await c.until('three new pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'resize.txt',
    title: 'a plan resizes containers while they run, and then with another image',
    async play(c) {
      await c.commit(web({ cpu: '100m' }));
      await c.sync();
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await c.commit(web({ cpu: '200m' }));
      await c.sync();
      await c.until('it has succeeded', (snapshot) => phaseOf(snapshot) === 'Succeeded');
      await c.kubectl(
        'get pods -l app=web -o jsonpath={range.items[*]}wants={.spec.containers[0].resources.requests.cpu},has={.status.containerStatuses[0].resources.requests.cpu}{"\\n"}{end}',
      );
      await c.show();
      await c.commit(web({ cpu: '300m', image: 'nginx:1.27' }));
      await c.sync();
      await c.until('it has succeeded again', (snapshot) => phaseOf(snapshot) === 'Succeeded');
      await c.show();
      await c.status();
      await c.retained();
    },
  },
  {
    golden: 'recreate.txt',
    title: 'policy Auto: a change of the environment recreates pods',
    async play(c) {
      await c.commit(web({ policy: 'Auto' }));
      await c.kubectl('apply -f manifests');
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await c.commit(web({ policy: 'Auto', env: 'debug' }));
      await c.kubectl('apply -f manifests');
      await c.until('three new pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'held-then-planned.txt',
    title: 'policy Required: a change is held until its plan exists',
    async play(c) {
      await c.commit(web());
      await c.sync();
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await c.commit(web({ image: 'nginx:1.27' }));
      c.note('The manifest alone is applied, and nothing moves:');
      await c.kubectl('apply -f manifests');
      await c.until('it is held', ({ targets }) =>
        JSON.stringify(targets[0]?.status).includes('plan.kruise.io/Held'),
      );
      await c.show();
      await c.status();
      c.note('The plan is applied, too:');
      await c.sync();
      await c.until('the end', (snapshot) => phaseOf(snapshot) === 'Succeeded' && hasAvailable(snapshot, 3));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'batches-soak-approval.txt',
    title: 'a batch, a soak, an approval, the rest',
    steps: inBatches,
    async play(c) {
      await c.commit(web({ replicas: 4 }));
      await c.sync();
      await c.until('four pods', (snapshot) => hasAvailable(snapshot, 4));
      await c.mark();
      await c.commit(web({ replicas: 4, image: 'nginx:1.27' }));
      await c.sync();
      await c.until('approval is awaited', (snapshot) => phaseOf(snapshot) === 'AwaitingApproval');
      await c.show();
      await c.status();
      await c.kruise(`approve CloneSet/web --by ${c.world.user} --reason fine`);
      await c.until('the end', (snapshot) => phaseOf(snapshot) === 'Succeeded' && hasAvailable(snapshot, 4));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'pull-first.txt',
    title: 'images are pulled to every node before the first batch',
    steps: 'steps: [{match: {}, pull: {parallelism: 2, timeout: 5m}}]\n',
    async play(c) {
      await c.commit(web());
      await c.sync();
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.mark();
      await c.commit(web({ image: 'nginx:1.27' }));
      await c.sync();
      await c.until('the end', (snapshot) => phaseOf(snapshot) === 'Succeeded' && hasAvailable(snapshot, 3));
      await c.show();
      await c.retained();
      await c.kubectl('get pods -l plan.kruise.io/pull');
    },
  },
  {
    golden: 'launch-order.txt',
    launches: true,
    title: 'the containers of a pod start one after the other, and are updated so',
    async play(c) {
      await c.commit(inOrder('nginx:1.25', 'envoy:1.30'));
      await c.sync();
      const { pods } = await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      for (const pod of pods) mustStartInOrder(pod);
      await c.kubectl(
        'get pods -o jsonpath={.items[*].spec.containers[*].env[*].valueFrom.configMapKeyRef.key}',
      );
      await c.mark();
      await c.commit(inOrder('nginx:1.27', 'envoy:1.31'));
      await c.sync();
      await c.until('the end', (snapshot) => phaseOf(snapshot) === 'Succeeded' && hasAvailable(snapshot, 3));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'partition.txt',
    title: 'a partition retains pods, and a commit lowers it',
    async play(c) {
      await c.commit(web({ replicas: 4, policy: 'Auto' }));
      await c.kubectl('apply -f manifests');
      await c.until('four pods', (snapshot) => hasAvailable(snapshot, 4));
      await c.mark();
      await c.commit(web({ replicas: 4, policy: 'Auto', image: 'nginx:1.27', partition: '75%' }));
      await c.kubectl('apply -f manifests');
      await c.until('one new pod', (snapshot) => hasAvailable(snapshot, 4, 1));
      await c.show();
      await c.commit(web({ replicas: 4, policy: 'Auto', image: 'nginx:1.27', partition: 0 }));
      await c.kubectl('apply -f manifests');
      await c.until('four new pods', (snapshot) => hasAvailable(snapshot, 4));
      await c.show();
      await c.retained();
    },
  },
];

/** `web` with a second container, and the annotation by which it starts after the first. */
function inOrder(first: string, second: string): string {
  const labels = 'metadata: { labels: { app: web }';
  const annotation = 'apps.kruise.io/container-launch-priority: Ordered';
  const lines = web({ image: first }).replace(labels, `${labels}, annotations: { ${annotation} }`);
  return `${lines}        - name: proxy\n          image: ${second}\n`;
}

/** Throws if the second container was not started after the first. */
function mustStartInOrder({ metadata, status }: ClusterSnapshot['pods'][number]): void {
  const { containerStatuses = [] } = status as {
    containerStatuses?: { name: string; state: { running?: { startedAt: string } } }[];
  };
  const [first, second] = ['nginx', 'proxy'].map((name) =>
    Date.parse(containerStatuses.find((each) => each.name === name)?.state.running?.startedAt ?? ''),
  );
  if (!((first ?? NaN) < (second ?? NaN)))
    throw new Error(`${metadata.name} started its containers at ${first} and ${second}`);
}
