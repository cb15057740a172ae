import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import { matchedOf } from '../../semantics/workloadspread/matched.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { images, MANIFEST, type Story } from './story.ts';

const SPREAD = 'manifests/spread.yaml';
const MINUTE = 60_000;

/** A WorkloadSpread of `web`: subsets as in braces, each of the zone of its name. */
const spread = (
  subsets: readonly { name: string; more?: string }[],
  { of = 'apps.kruise.io/v1beta1, kind: CloneSet', strategy = '' } = {},
): string =>
  [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: WorkloadSpread',
    'metadata: {name: web, namespace: shop}',
    'spec:',
    `  targetRef: {apiVersion: ${of}, name: web}`,
    '  subsets:',
    ...subsets.flatMap(({ name, more = '' }) => [
      `  - name: ${name}`,
      ...(more === '' ? [] : [`    ${more}`]),
      '    requiredNodeSelector:',
      `      matchExpressions: [{key: zone, operator: In, values: [${name}]}]`,
    ]),
    ...(strategy === '' ? [] : [`  scheduleStrategy: ${strategy}`]),
    '',
  ].join('\n');

const twoInA = [{ name: 'a', more: 'maxReplicas: 2' }, { name: 'b' }];

/** Two nodes, one in each zone. */
const prepare: Story['prepare'] = async ({ world, clock, transcript }) => {
  transcript.note('node-a is in zone a, node-b in zone b');
  for (const name of ['a', 'b']) world.nodes.add(`node-${name}`, { labels: { zone: name } });
  await clock.settle();
};

/** Where pods run: how many have each node, and those without one. */
async function places(stage: StoryCluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pod of (await stage.pods()).filter(isActive)) {
    const node = pod.spec.nodeName ?? 'none';
    counts[node] = (counts[node] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function show(stage: StoryCluster): Promise<void> {
  const found = Object.entries(await places(stage)).map(([node, count]) => `${count} on ${node}`);
  stage.transcript.note(`pods: ${found.join(', ')}`);
}

/** The WorkloadSpread is there before the first pod. */
async function begin(stage: StoryCluster, files: Record<string, string>): Promise<void> {
  await stage.sync();
  await stage.run(MINUTE);
  await stage.commit('web', files);
  await stage.sync();
  await stage.run(MINUTE);
}

const SIZES = [6, 2];

/** A Deployment whose template has the gate that `kruise build` writes. */
const deployment = (replicas: number): string =>
  [
    'apiVersion: apps/v1',
    'kind: Deployment',
    'metadata: {name: web, namespace: shop}',
    'spec:',
    `  replicas: ${replicas}`,
    '  selector: {matchLabels: {app: web}}',
    '  template:',
    '    metadata: {labels: {app: web}}',
    '    spec:',
    '      schedulingGates: [{name: kruise.io/workloadspread}]',
    '      containers: [{name: main, image: web:1}]',
    '',
  ].join('\n');
const ofDeployment = 'apps/v1, kind: Deployment';

/** WorkloadSpreads: where pods go, and which of them leave first. */
export const podsInSubsets: readonly Story[] = [
  {
    file: 'spread-out-and-in',
    title: 'Two in zone a and the rest in zone b',
    summary:
      'A CloneSet of two pods grows to six and shrinks to two. The first two are in zone a, the others in zone b, and those leave first.',
    files: { [SPREAD]: spread(twoInA) },
    prepare,
    async play(stage, expect) {
      await begin(stage, { [MANIFEST]: web({ replicas: 2 }) });
      expect(await places(stage)).toEqual({ 'node-a': 2 });
      for (const replicas of SIZES) {
        await stage.commit(`${replicas} pods`, { [MANIFEST]: web({ replicas }) });
        await stage.sync();
        await stage.run(2 * MINUTE);
        await show(stage);
        expect(await places(stage)).toEqual(replicas === 6 ? { 'node-a': 2, 'node-b': 4 } : { 'node-a': 2 });
      }
    },
  },
  {
    file: 'spread-zone-full',
    title: 'A zone is full, and the WorkloadSpread is adaptive',
    summary:
      'The node of zone a takes no further pods. The one that waits for it is deleted after 30 seconds, and comes back in zone b. Zone a is left out for five minutes.',
    files: {
      [SPREAD]: spread(twoInA, { strategy: '{type: Adaptive, adaptive: {rescheduleCriticalSeconds: 30}}' }),
    },
    prepare,
    async play(stage, expect) {
      await begin(stage, { [MANIFEST]: web({ replicas: 1 }) });
      stage.transcript.note('mona cordons node-a');
      const body = { spec: { unschedulable: true } };
      await stage.user.patch(resources.Node, { name: 'node-a' }, { type: 'merge', body });
      await stage.commit('3 pods', { [MANIFEST]: web({ replicas: 3 }) });
      await stage.sync();
      await stage.run(3 * MINUTE);
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-a': 1, 'node-b': 2 });
    },
  },
  {
    file: 'spread-canary',
    title: 'A canary of pods that are spread',
    summary:
      'Four pods, two in zone a. One gets the new image, a person approves, and all have it. Which revision a pod is on, the plan says; where it runs, the WorkloadSpread. No pod changes its zone, and zone a never has a third one.',
    files: {
      [SPREAD]: spread(twoInA),
      'kruise.yaml':
        'steps:\n- match: {kind: CloneSet, namespace: shop}\n  batches: [{to: 1}, {to: 100%}]\n  approve: [1]\n',
    },
    prepare,
    async play(stage, expect) {
      await begin(stage, { [MANIFEST]: web({ replicas: 4, policy: 'ReCreate' }) });
      let most = 0;
      const inA = new Map((await stage.pods()).map((pod) => [pod.metadata.uid, pod]));
      stage.world.onCommit(({ resource, type, object }) => {
        if (resource !== 'pods') return;
        if (type === 'DELETED') inA.delete(object.metadata.uid);
        else inA.set(object.metadata.uid, object as Pod);
        const active = [...inA.values()].filter((pod) => matchedOf(pod)?.subset === 'a' && isActive(pod));
        most = Math.max(most, active.length);
      });
      await stage.commit('new image', {
        [MANIFEST]: web({ replicas: 4, policy: 'ReCreate', image: 'nginx:1.26-alpine' }),
      });
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect((await images(stage))['nginx:1.26-alpine']).toBe(1);
      expect(await places(stage)).toEqual({ 'node-a': 2, 'node-b': 2 });
      await show(stage);
      await stage.command('approve');
      await stage.until('Succeeded');
      await stage.run(MINUTE);
      await show(stage);
      expect([await places(stage), most]).toEqual([{ 'node-a': 2, 'node-b': 2 }, 2]);
    },
  },
  {
    file: 'spread-by-gates',
    title: 'A Deployment that grows while no runtime works',
    summary:
      'The pods of a Deployment wait with a scheduling gate until they have a subset. While no runtime works, new ones wait, and the others run on. The next runtime places each of them.',
    files: { [SPREAD]: spread(twoInA, { of: ofDeployment }) },
    controllers: true,
    prepare,
    async play(stage, expect) {
      await begin(stage, { 'manifests/web.yaml': deployment(3) });
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-a': 2, 'node-b': 1 });
      await stage.stopRuntime();
      await stage.commit('5 pods', { 'manifests/web.yaml': deployment(5) });
      await stage.sync();
      await stage.run(2 * MINUTE);
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-a': 2, 'node-b': 1, none: 2 });
      await stage.startRuntime();
      await stage.run(MINUTE);
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-a': 2, 'node-b': 3 });
      await stage.commit('2 pods', { 'manifests/web.yaml': deployment(2) });
      await stage.sync();
      await stage.run(MINUTE);
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-a': 2 });
    },
  },
  {
    file: 'spread-subset-removed',
    title: 'A subset is removed',
    summary:
      'Pods of a subset that is no more run on where they are. They are the first that a scale-in takes, though the subset was the first one before.',
    files: { [SPREAD]: spread(twoInA) },
    prepare,
    async play(stage, expect) {
      await begin(stage, { [MANIFEST]: web({ replicas: 4 }) });
      await stage.commit('no zone a any more', { [SPREAD]: spread([{ name: 'b' }]) });
      await stage.sync();
      await stage.run(MINUTE);
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-a': 2, 'node-b': 2 });
      await stage.commit('2 pods', { [MANIFEST]: web({ replicas: 2 }) });
      await stage.sync();
      await stage.run(MINUTE);
      await show(stage);
      expect(await places(stage)).toEqual({ 'node-b': 2 });
    },
  },
];
