import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { parse } from 'yaml';
import { storeOpenKruiseUnited } from '../runtime/openkruise-united.ts';
import { SUBSET_LABEL } from '../../semantics/children/subset-keys.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, settled, shown, type Story } from './story.ts';

const WEB = 'manifests/web.yaml';
const NEW = 'nginx:1.27-alpine';
const OLD = 'nginx:1.25-alpine';
const ZONES = ['zone-a', 'zone-b', 'zone-c'];

/** Six pods in three zones. */
const united = (image = OLD): Record<string, string> => ({
  [WEB]: `apiVersion: apps.kruise.io/v1beta1
kind: UnitedDeployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    cloneSetTemplate:
      spec:
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec: {containers: [{name: nginx, image: '${image}'}]}
  topology:
    subsets:
${ZONES.map(
  (name) => `    - name: ${name}
      nodeSelectorTerm: {matchExpressions: [{key: zone, operator: In, values: [${name}]}]}
`,
).join('')}`,
});

/** One pod of zone-b, then all of it, and the other zones after an approval. */
const byZone = (onFailure: 'Halt' | 'Revert' = 'Halt'): string => `steps:
- match: {kind: UnitedDeployment}
  batches:
  - {to: 1, subsets: [zone-b]}
  - {to: 100%, subsets: [zone-b]}
  - {to: 100%}
  between: {soak: 10m}
  approve: [2]
  onFailure: ${onFailure}
`;

/** A node in each zone. */
const prepare: Story['prepare'] = async ({ world, clock, transcript }) => {
  transcript.note(`there is a node in each of ${ZONES.join(', ')}`);
  for (const zone of ZONES) world.nodes.add(`node-of-${zone}`, { labels: { zone } });
  await clock.settle();
};

/** How many pods of each zone have each image. */
async function zonesOf(stage: StoryCluster): Promise<Record<string, Record<string, number>>> {
  const found: Record<string, Record<string, number>> = {};
  for (const { metadata, spec } of await stage.pods()) {
    const zone = (found[metadata.labels?.[SUBSET_LABEL] ?? 'none'] ??= {});
    const image = spec.containers[0]?.image ?? '';
    zone[image] = (zone[image] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The pods of a zone. */
async function inZone(stage: StoryCluster, zone: string): Promise<Awaited<ReturnType<StoryCluster['pods']>>> {
  return (await stage.pods()).filter(({ metadata }) => metadata.labels?.[SUBSET_LABEL] === zone);
}

/** The same with a StatefulSet of OpenKruise for each zone: its pods have ordinals and claims. */
const ofSets = (image = OLD): Record<string, string> => ({
  [WEB]: (united(image)[WEB] ?? '').replace('cloneSetTemplate:', 'advancedStatefulSetTemplate:').replace(
    '        template:\n          metadata',
    `        volumeClaimTemplates:
        - metadata: {name: data}
          spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
        template:
          metadata`,
  ),
});

/** The claims, by name. */
async function claims({ world }: StoryCluster): Promise<Map<string, string | undefined>> {
  const { items } = await world
    .cluster('reader')
    .list(resources.PersistentVolumeClaim, { namespace: 'shop' });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

const all = (image: string) => Object.fromEntries(ZONES.map((zone) => [zone, { [image]: 2 }]));

/** One zone has the new image, and the plan waits for an approval. */
async function withOneZone(stage: StoryCluster): Promise<void> {
  await settled(stage);
  await stage.commit('nginx 1.27', united(NEW));
  await stage.sync();
  await stage.until('AwaitingApproval');
}

/** Five pods: two in each of the first zones, and the others in the last one, or where there is room. */
const whereThereIsRoom = (image = OLD): Record<string, string> => ({
  [WEB]: (united(image)[WEB] ?? '')
    .replace('replicas: 6', 'replicas: 5')
    .replace('  topology:', '  topology:\n    scheduleStrategy: {type: Adaptive}')
    .replaceAll(/- name: zone-[ab]\n/g, '$&      maxReplicas: 2\n'),
});

/** Two pods, in zone a if they get a node there. Where they get none they wait, and others stand in for them. */
const whereTheyComeBack = (image = OLD): Record<string, string> => ({
  [WEB]: (united(image)[WEB] ?? '')
    .replace('replicas: 6', 'replicas: 2')
    .replace(
      '  topology:',
      '  topology:\n    scheduleStrategy: {type: Adaptive, adaptive: {reserveUnschedulablePods: true}}',
    ),
});

/** Some pods of a zone stay as they are. */
const keeping = (partitions: string, image = OLD): Record<string, string> => ({
  [WEB]: (united(image)[WEB] ?? '').replace(
    '  topology:',
    `  updateStrategy: {manualUpdate: {partitions: ${partitions}}}\n  topology:`,
  ),
});

/** The manifest as an object. */
const objectOf = (image: string): KubeObject => parse(united(image)[WEB] ?? '') as KubeObject;

export const inZones: readonly Story[] = [
  {
    file: 'zone-by-zone',
    title: 'A zone at a time',
    summary:
      'A UnitedDeployment keeps two pods in each of three zones. The plan names a zone: one pod of it, a soak, the rest of it, another soak and an approval, and then the other zones. No pod of another zone changes before.',
    files: { 'kruise.yaml': byZone(), ...united() },
    prepare,
    async play(stage, expect) {
      await settled(stage);
      expect(await zonesOf(stage)).toEqual(all(OLD));
      await stage.commit('nginx 1.27', united(NEW));
      await stage.sync();
      await stage.until('Soaking');
      expect(await zonesOf(stage)).toEqual({ ...all(OLD), 'zone-b': { [OLD]: 1, [NEW]: 1 } });
      await stage.until('AwaitingApproval');
      expect(await zonesOf(stage)).toEqual({ ...all(OLD), 'zone-b': { [NEW]: 2 } });
      await stage.command('approve', { target: 'UnitedDeployment/web', step: 'approve-2' });
      await stage.until('Succeeded');
      expect(await zonesOf(stage)).toEqual(all(NEW));
    },
  },
  {
    file: 'zone-ordinals',
    title: 'A zone at a time, from the highest ordinal down',
    summary:
      'A UnitedDeployment keeps a StatefulSet of OpenKruise in each of three zones. The plan takes one pod of zone b, which is its highest ordinal, then the other one, and then the other zones. Each pod comes back under its name, with its claim.',
    files: { 'kruise.yaml': byZone(), ...ofSets() },
    prepare,
    async play(stage, expect) {
      makeClass(stage.world);
      await settled(stage);
      const before = await claims(stage);
      expect([...before.keys()]).toEqual(
        ZONES.flatMap((zone) => [0, 1].map((ordinal) => `data-web-${zone}-${ordinal}`)),
      );
      await stage.commit('nginx 1.27', ofSets(NEW));
      await stage.sync();
      await stage.until('Soaking');
      const updated = (await stage.pods()).filter(({ spec }) => spec.containers[0]?.image === NEW);
      expect(updated.map(({ metadata }) => metadata.name)).toEqual(['web-zone-b-1']);
      await stage.until('AwaitingApproval');
      expect(await zonesOf(stage)).toEqual({ ...all(OLD), 'zone-b': { [NEW]: 2 } });
      await stage.command('approve', { target: 'UnitedDeployment/web', step: 'approve-2' });
      await stage.until('Succeeded');
      expect([await zonesOf(stage), await claims(stage)]).toEqual([all(NEW), before]);
    },
  },
  {
    file: 'zone-fails',
    title: 'A zone fails, and only it goes back',
    summary:
      'The new image crashes in its soak. The plan says `onFailure: Revert`, so the pod of the first zone goes back by itself. The other zones were never touched. The object is held until git follows.',
    files: { 'kruise.yaml': byZone('Revert'), ...united() },
    prepare,
    async play(stage, expect) {
      stage.world.images.set(NEW, { crashAfterMs: 90_000 });
      await settled(stage);
      const before = await stage.pods();
      await stage.commit('nginx 1.27', united(NEW));
      await stage.sync();
      await stage.until('Reverted');
      expect(await zonesOf(stage)).toEqual(all(OLD));
      const after = new Set((await stage.pods()).map(({ metadata }) => metadata.uid));
      const gone = before.filter(({ metadata }) => !after.has(metadata.uid));
      expect(gone.map(({ metadata }) => metadata.labels?.[SUBSET_LABEL])).toEqual(['zone-b']);
      expect(await shown(stage)).toMatchObject({ phase: 'Reverted' });
      expect(await held(stage)).not.toBe('');
    },
  },
  {
    file: 'zone-full',
    title: 'A zone is full, and its pods go to the next one',
    summary:
      'Zones a and b have at most two pods, and zone c has the others. A node of zone b is drained, and nothing else has room there. A minute later its pods are in zone c. Five minutes later zone b may have new pods again, and the others stay where they are.',
    files: { 'kruise.yaml': byZone(), ...whereThereIsRoom() },
    prepare,
    async play(stage, expect) {
      await settled(stage);
      expect(await zonesOf(stage)).toEqual({
        'zone-a': { [OLD]: 2 },
        'zone-b': { [OLD]: 2 },
        'zone-c': { [OLD]: 1 },
      });
      stage.world.nodes.cordon('node-of-zone-b');
      stage.transcript.note('the node of zone-b takes no more pods, and loses those that it has');
      for (const { metadata } of await inZone(stage, 'zone-b'))
        await stage.world.cluster('drain').delete(resources.Pod, { namespace: 'shop', name: metadata.name });
      await stage.run(90_000);
      expect(await zonesOf(stage)).toEqual({ 'zone-a': { [OLD]: 2 }, 'zone-c': { [OLD]: 3 } });
      stage.world.nodes.uncordon('node-of-zone-b');
      stage.transcript.note('the node of zone-b takes pods again');
      await stage.run(360_000);
      expect(await zonesOf(stage)).toEqual({ 'zone-a': { [OLD]: 2 }, 'zone-c': { [OLD]: 3 } });
      await stage.commit('6 pods', {
        [WEB]: (whereThereIsRoom()[WEB] ?? '').replace('replicas: 5', 'replicas: 6'),
      });
      await stage.sync();
      await stage.run(120_000);
      expect(await zonesOf(stage)).toEqual({
        'zone-a': { [OLD]: 2 },
        'zone-b': { [OLD]: 1 },
        'zone-c': { [OLD]: 3 },
      });
    },
  },
  {
    file: 'zone-reserved',
    title: 'A zone has no room, and its pods come back',
    summary:
      'Both pods are to be in zone a. A node there is drained, so that they wait, and two pods of zone b stand in for them. A rollout updates these one by one, and at its end those that wait. Once zone a has room its pods start, and five minutes later zone b has none any more.',
    files: { 'kruise.yaml': byZone(), ...whereTheyComeBack() },
    prepare,
    async play(stage, expect) {
      await settled(stage);
      expect(await zonesOf(stage)).toEqual({ 'zone-a': { [OLD]: 2 } });
      stage.world.nodes.cordon('node-of-zone-a');
      stage.transcript.note('the node of zone-a takes no more pods, and loses those that it has');
      for (const { metadata } of await inZone(stage, 'zone-a'))
        await stage.world.cluster('drain').delete(resources.Pod, { namespace: 'shop', name: metadata.name });
      await stage.run(90_000);
      expect(await zonesOf(stage)).toEqual({ 'zone-a': { [OLD]: 2 }, 'zone-b': { [OLD]: 2 } });
      await stage.commit('nginx 1.27', whereTheyComeBack(NEW));
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.command('approve', { target: 'UnitedDeployment/web', step: 'approve-2' });
      await stage.run(60_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Succeeded' });
      expect(await zonesOf(stage)).toEqual({ 'zone-a': { [NEW]: 2 }, 'zone-b': { [NEW]: 2 } });
      stage.world.nodes.uncordon('node-of-zone-a');
      stage.transcript.note('the node of zone-a takes pods again');
      await stage.run(420_000);
      expect(await zonesOf(stage)).toEqual({ 'zone-a': { [NEW]: 2 } });
    },
  },
  {
    file: 'zones-from-openkruise',
    title: 'A UnitedDeployment from OpenKruise in the middle of its rollout',
    summary:
      'OpenKruise has updated zone-a and a pod of zone-b, and is stopped. Its children have names with letters of the server. They are taken over under these names, and every pod stays. The commit that OpenKruise was carrying out is planned, and the plan updates the three pods that are left.',
    files: { 'kruise.yaml': byZone(), ...united() },
    async prepare(stage) {
      await prepare(stage);
      const [a, b, c] = ZONES.map((subset, index) => ({
        ...{ subset, letters: ['x2k4d', '7hqzt', 'm9s6v'][index] ?? '', pods: 2, updated: 2 - index },
      }));
      const children = [a, b, c].filter((each) => each !== undefined);
      await storeOpenKruiseUnited(stage, { before: objectOf(OLD), after: objectOf(NEW), children });
      stage.transcript.note('the manager of OpenKruise is stopped');
    },
    async play(stage, expect) {
      const begun = {
        'zone-a': { [NEW]: 2 },
        'zone-b': { [NEW]: 1, [OLD]: 1 },
        'zone-c': { [OLD]: 2 },
      };
      await stage.run(120_000);
      expect(await zonesOf(stage)).toEqual(begun);
      expect(await held(stage)).not.toBe('');
      const before = new Set((await stage.pods()).map(({ metadata }) => metadata.uid));
      await stage.commit('nginx 1.27', united(NEW));
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await zonesOf(stage)).toEqual({ ...begun, 'zone-b': { [NEW]: 2 } });
      await stage.command('approve', { target: 'UnitedDeployment/web', step: 'approve-2' });
      await stage.until('Succeeded');
      expect(await zonesOf(stage)).toEqual(all(NEW));
      expect((await stage.pods()).filter(({ metadata }) => before.has(metadata.uid))).toHaveLength(3);
    },
  },
  {
    file: 'zone-partitions',
    title: 'A zone keeps a pod back, and lets it go later',
    summary:
      'The manifest keeps one pod of zone-c on the old image by its partition. The plan states that, takes a zone and then the others, and ends with that pod as it is. A later commit takes the partition away: that is a plan of its own, and only this pod changes.',
    files: { 'kruise.yaml': byZone(), ...united() },
    prepare,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27, but for one pod', keeping('{zone-c: 1}', NEW));
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await zonesOf(stage)).toEqual({ ...all(OLD), 'zone-b': { [NEW]: 2 } });
      await stage.command('approve', { target: 'UnitedDeployment/web', step: 'approve-2' });
      await stage.until('Succeeded');
      const kept = { ...all(NEW), 'zone-c': { [NEW]: 1, [OLD]: 1 } };
      expect(await zonesOf(stage)).toEqual(kept);
      const before = new Set((await stage.pods()).map(({ metadata }) => metadata.uid));

      await stage.commit('The last pod, too', united(NEW));
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await zonesOf(stage)).toEqual(kept);
      await stage.command('approve', { target: 'UnitedDeployment/web', step: 'approve-2' });
      await stage.until('Succeeded');
      expect(await zonesOf(stage)).toEqual(all(NEW));
      expect((await stage.pods()).filter(({ metadata }) => before.has(metadata.uid))).toHaveLength(5);
    },
  },
  {
    file: 'zone-reverted',
    title: 'git revert when one zone is through',
    summary:
      'One zone has the new image and the plan waits for an approval. The commit is reverted: that zone goes back within the limits of the plan, and the others stay as they are.',
    files: { 'kruise.yaml': byZone(), ...united() },
    prepare,
    async play(stage, expect) {
      await withOneZone(stage);
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(120_000);
      expect([await images(stage), await held(stage)]).toEqual([{ [OLD]: 6 }, '']);
    },
  },
];
