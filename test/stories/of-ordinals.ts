import { resources } from '../../schemas/wire/resources.ts';
import { makeClass, makeGrowingClass } from '../fixtures/storage-class.ts';
import type { StoryCluster } from './stage.ts';
import { batches, held, images, MANIFEST, settled, type Story } from './story.ts';

/** The parts of a StatefulSet that differ between stories. */
interface Numbered {
  image?: string;
  policy?: 'OrderedReady' | 'Parallel';
  replicas?: number;
  partition?: number;
  reserve?: readonly number[];
  maxUnavailable?: number;
  /** Each pod has a claim, and is recreated. */
  hasData?: true;
  /** What happens to the claims of ordinals that are scaled in. */
  whenScaled?: 'Delete';
  /** The claims grow with their template, whose size this is. */
  growsTo?: string;
  /** The ordinal that is updated first. */
  first?: number;
}

/** The manifest of the StatefulSet `web` in namespace `shop`: five pods, updated in place. */
export function numbered({
  image = 'nginx:1.25-alpine',
  policy = 'Parallel',
  replicas = 5,
  partition,
  reserve,
  maxUnavailable = policy === 'Parallel' ? 3 : 1,
  hasData,
  whenScaled,
  growsTo,
  first,
}: Numbered = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: StatefulSet',
    'metadata:',
    '  name: web',
    '  namespace: shop',
    'spec:',
    `  replicas: ${replicas}`,
    '  serviceName: web',
    `  podManagementPolicy: ${policy}`,
    ...(reserve === undefined ? [] : [`  reserveOrdinals: [${reserve.join(', ')}]`]),
    '  selector:',
    '    matchLabels: {app: web}',
    '  updateStrategy:',
    '    type: RollingUpdate',
    '    rollingUpdate:',
    `      podUpdatePolicy: ${hasData === true ? 'ReCreate' : 'InPlaceIfPossible'}`,
    `      maxUnavailable: ${maxUnavailable}`,
    ...(partition === undefined ? [] : [`      partition: ${partition}`]),
    ...(first === undefined
      ? []
      : [
          '      unorderedUpdate:',
          '        priorityStrategy:',
          '          weightPriority:',
          `          - {weight: 100, matchSelector: {matchLabels: {apps.kubernetes.io/pod-index: '${first}'}}}`,
        ]),
    ...(whenScaled === undefined
      ? []
      : [`  persistentVolumeClaimRetentionPolicy: {whenScaled: ${whenScaled}, whenDeleted: Retain}`]),
    ...(growsTo === undefined ? [] : ['  volumeClaimUpdateStrategy: {type: OnPodRollingUpdate}']),
    ...(hasData === undefined
      ? []
      : [
          '  volumeClaimTemplates:',
          '  - metadata: {name: data}',
          `    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${growsTo ?? '1Gi'}}}}`,
        ]),
    '  template:',
    '    metadata:',
    '      labels: {app: web}',
    '    spec:',
    '      readinessGates:',
    '      - conditionType: InPlaceUpdateReady',
    '      containers:',
    '      - name: nginx',
    `        image: ${image}`,
    ...(hasData === undefined ? [] : ['        volumeMounts:', '        - {name: data, mountPath: /data}']),
    '',
  ].join('\n');
}

const canary = batches.replace('CloneSet', 'StatefulSet');
const next = 'nginx:1.27-alpine';

/** The image of each pod, by name. */
export async function imageOf(stage: StoryCluster): Promise<Record<string, string>> {
  const pods = await stage.pods();
  const entries = pods.map((pod) => [pod.metadata.name, pod.spec.containers[0]?.image ?? ''] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The order in which pods come to another image from now on. */
function watchOrder(stage: StoryCluster): string[] {
  const order: string[] = [];
  stage.world.onCommit(({ resource, object, previous }) => {
    if (resource !== 'pods' || previous === undefined) return;
    const image = (each: object): unknown =>
      (each as { spec: { containers: { image: string }[] } }).spec.containers[0]?.image;
    if (image(object) !== image(previous)) order.push(object.metadata.name);
  });
  return order;
}

/** The claims with their uids. */
async function claimsOf(stage: StoryCluster): Promise<string[]> {
  const { items } = await stage.user.list(resources.PersistentVolumeClaim, { namespace: 'shop' });
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid ?? ''}`).sort();
}

export const ordinals: readonly Story[] = [
  {
    file: 'ordinals-in-place',
    title: 'Numbered pods, in place, the highest first',
    summary:
      'A StatefulSet of OpenKruise takes a new image, three pods at a time from the highest ordinal down. No pod is deleted, and none is updated before its turn.',
    files: { [MANIFEST]: numbered() },
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      const order = watchOrder(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ image: next }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(order).toEqual(['web-4', 'web-3', 'web-2', 'web-1', 'web-0']);
      const after = await stage.pods();
      expect(after.map((p) => p.metadata.uid)).toEqual(before.map((p) => p.metadata.uid));
      expect(after.map((p) => p.spec['hostname'])).toEqual(after.map((p) => p.metadata.name));
    },
  },
  {
    file: 'ordinals-broken-pod',
    title: 'OrderedReady: the fix of a broken pod',
    summary:
      'The first pod of an ordered StatefulSet crashes, so no other is created. OpenKruise would wait for it before it changes anything, the fix included. Under a plan it is the first that gets the fix, and the others follow.',
    files: { [MANIFEST]: numbered({ policy: 'OrderedReady' }) },
    async play(stage, expect) {
      stage.world.images.set('nginx:1.25-alpine', { crashAfterMs: 500 });
      await settled(stage);
      expect(await imageOf(stage)).toEqual({ 'web-0': 'nginx:1.25-alpine' });
      const before = await stage.pods();
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ image: next, policy: 'OrderedReady' }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [next]: 5 });
      expect((await stage.pods())[0]?.metadata.uid).toBe(before[0]?.metadata.uid);
    },
  },
  {
    file: 'ordinals-revert',
    title: 'Numbered pods: git revert in the middle',
    summary:
      'Three of five pods have the new image when the commit is reverted. They go back from the highest ordinal down, without gates; the others are not touched.',
    files: { [MANIFEST]: numbered({ policy: 'OrderedReady' }) },
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      const order = watchOrder(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ image: next, policy: 'OrderedReady' }) });
      await stage.sync();
      await stage.clock.runUntil(() => order.length === 3, { what: 'three updated pods' });
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 5 });
      expect(order.slice(0, 3)).toEqual(['web-4', 'web-3', 'web-2']);
      expect(order.slice(3).sort()).toEqual(['web-2', 'web-3', 'web-4']);
      expect((await stage.pods()).map((p) => p.metadata.uid)).toEqual(before.map((p) => p.metadata.uid));
    },
  },
  {
    file: 'ordinals-crash-revert',
    title: 'OrderedReady: the new image crashes, and git goes back',
    summary:
      'The first pod that gets the new image crashes, and the rollout halts. OpenKruise would wait for that pod, with the reverted commit too. Here the way back begins with it, and nobody has to delete it.',
    files: { [MANIFEST]: numbered({ policy: 'OrderedReady' }) },
    async play(stage, expect) {
      stage.world.images.set(next, { crashAfterMs: 500 });
      await settled(stage);
      const before = await stage.pods();
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ image: next, policy: 'OrderedReady' }) });
      await stage.sync();
      await stage.until('Halted');
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 4, [next]: 1 });
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 5 });
      expect((await stage.pods()).map((p) => p.metadata.uid)).toEqual(before.map((p) => p.metadata.uid));
    },
  },
  {
    file: 'ordinals-partition',
    title: 'Numbered pods: partition, then the rest',
    summary:
      'With partition 2 the two lowest ordinals stay on the old image. A second commit lowers the partition, and its plan updates these two.',
    files: { [MANIFEST]: numbered() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27 on all but two', {
        [MANIFEST]: numbered({ image: next, partition: 2 }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await imageOf(stage)).toEqual({
        'web-0': 'nginx:1.25-alpine',
        'web-1': 'nginx:1.25-alpine',
        'web-2': next,
        'web-3': next,
        'web-4': next,
      });
      await stage.commit('the last two', { [MANIFEST]: numbered({ image: next, partition: 0 }) });
      await stage.sync();
      await stage.run(1_000);
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [next]: 5 });
    },
  },
  {
    file: 'ordinals-reserved',
    title: 'An ordinal becomes reserved, then a new image',
    summary:
      'Ordinal 1 is reserved, so that web-1 has to go. web-5 is created first; web-1 is deleted once that is available. The next commit updates five pods: reserved ordinals never lower their number.',
    files: { [MANIFEST]: numbered() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('reserve 1', { [MANIFEST]: numbered({ reserve: [1] }) });
      await stage.sync();
      await stage.run(120_000);
      expect(Object.keys(await imageOf(stage))).toEqual(['web-0', 'web-2', 'web-3', 'web-4', 'web-5']);
      const order = watchOrder(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ image: next, reserve: [1] }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(order).toEqual(['web-5', 'web-4', 'web-3', 'web-2', 'web-0']);
    },
  },
  {
    file: 'ordinals-claims',
    title: 'Numbered pods are recreated, and keep their claims',
    summary:
      'Each pod has a claim of its own. A new image recreates the pods, two at a time; each comes back with its name and its data. Scaling in keeps the claims, too.',
    files: { [MANIFEST]: numbered({ replicas: 3, maxUnavailable: 2, hasData: true }) },
    async play(stage, expect) {
      makeClass(stage.world);
      await settled(stage);
      const claims = () => claimsOf(stage);
      const before = await claims();
      expect(before).toHaveLength(3);
      await stage.commit('nginx 1.27', {
        [MANIFEST]: numbered({ replicas: 3, maxUnavailable: 2, hasData: true, image: next }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [next]: 3 });
      await stage.commit('one pod', {
        [MANIFEST]: numbered({ replicas: 1, maxUnavailable: 2, hasData: true, image: next }),
      });
      await stage.sync();
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [next]: 1 });
      expect(await claims()).toEqual(before);
    },
  },
  {
    file: 'ordinals-claims-deleted',
    title: 'Scale-in that deletes claims',
    summary:
      'The retention policy deletes the claims of ordinals that are scaled in. The claims of recreated pods stay. Those of web-2 and web-1 become dependents of their pods before these are deleted; the garbage collector deletes them afterwards. Scaling out again starts with empty claims, and web-0 keeps its data.',
    files: { [MANIFEST]: numbered({ replicas: 3, hasData: true, whenScaled: 'Delete' }) },
    async play(stage, expect) {
      makeClass(stage.world);
      await settled(stage);
      const before = await claimsOf(stage);
      const at = (replicas: number) =>
        numbered({ replicas, hasData: true, whenScaled: 'Delete', image: next });
      const scale = async (replicas: number): Promise<void> => {
        await stage.commit(`${replicas} of them`, { [MANIFEST]: at(replicas) });
        await stage.sync();
        await stage.run(60_000);
      };
      await stage.commit('nginx 1.27', { [MANIFEST]: at(3) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await claimsOf(stage)).toEqual(before);
      await scale(1);
      expect(await claimsOf(stage)).toEqual(before.slice(0, 1));
      await scale(3);
      const after = await claimsOf(stage);
      expect(after).toHaveLength(3);
      expect(after.filter((claim) => before.includes(claim))).toEqual(before.slice(0, 1));
    },
  },
  {
    file: 'ordinals-claims-grow',
    title: 'Claims grow with a new image, and alone',
    summary:
      'A commit raises the size of the claims together with the image: the claim of each pod grows before that pod is recreated. The next commit raises the size alone, with a plan: the claim of the highest ordinal grows first, the others after an approval, and no pod changes. A third one raises it without a plan, and nothing grows until that is taken back.',
    files: { [MANIFEST]: numbered({ replicas: 3, maxUnavailable: 2, hasData: true, growsTo: '1Gi' }) },
    async play(stage, expect) {
      makeGrowingClass(stage.world);
      await settled(stage);
      const before = await claimsOf(stage);
      const sizes = async () => {
        const { items } = await stage.user.list(resources.PersistentVolumeClaim, { namespace: 'shop' });
        return items.map(({ status }) => (status as { capacity: { storage: string } }).capacity.storage);
      };
      const at = (growsTo: string) =>
        numbered({ replicas: 3, maxUnavailable: 2, hasData: true, growsTo, image: next });
      await stage.commit('nginx 1.27, and 2Gi', { [MANIFEST]: at('2Gi') });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [next]: 3 });
      expect(await sizes()).toEqual(['2Gi', '2Gi', '2Gi']);
      const pods = (await stage.pods()).map(({ metadata }) => metadata.uid);
      await stage.commit('3Gi', { [MANIFEST]: at('3Gi'), 'kruise.yaml': canary });
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await sizes()).toEqual(['2Gi', '2Gi', '3Gi']);
      await stage.command('approve', { target: 'StatefulSet/web' });
      await stage.until('Succeeded');
      expect(await sizes()).toEqual(['3Gi', '3Gi', '3Gi']);
      await stage.commit('4Gi', { [MANIFEST]: at('4Gi') }, { plan: false });
      await stage.sync();
      await stage.run(60_000);
      expect(await held(stage)).toContain('NoPlan: claims of StatefulSet shop/web are smaller');
      expect(await sizes()).toEqual(['3Gi', '3Gi', '3Gi']);
      await stage.commit('3Gi again', { [MANIFEST]: at('3Gi') }, { plan: false });
      await stage.sync();
      await stage.run(60_000);
      expect(await held(stage)).toBe('');
      expect((await stage.pods()).map(({ metadata }) => metadata.uid)).toEqual(pods);
      expect(await claimsOf(stage)).toEqual(before);
    },
  },
  {
    file: 'ordinals-scaled-in',
    title: 'Scale-in during a canary',
    summary:
      'The canary is the highest ordinal, and a commit scales the StatefulSet in before the approval. The canary goes with its ordinal; the step takes the highest of the rest.',
    files: { [MANIFEST]: numbered(), 'kruise.yaml': canary },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ image: next }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.commit('three pods', { [MANIFEST]: numbered({ image: next, replicas: 3 }) });
      await stage.sync();
      await stage.run(120_000);
      expect(await imageOf(stage)).toEqual({
        'web-0': 'nginx:1.25-alpine',
        'web-1': 'nginx:1.25-alpine',
        'web-2': next,
      });
      await stage.command('approve', { target: 'StatefulSet/web' });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [next]: 3 });
    },
  },
];
