import { approved, phase } from './acts.ts';
import { uses, withVolumes } from './storage.ts';
import type { Case } from './case.ts';
import { claimTemplates } from './manifest.ts';
import { hasAvailable, type Stored } from './snapshot.ts';
import type { RolloutCase } from './suite.ts';

/** The parts of the StatefulSet `web` in which cases differ. */
interface Ordinals {
  image?: string;
  replicas?: number;
  policy?: 'Required' | 'Auto';
  management?: 'OrderedReady' | 'Parallel';
  reserve?: readonly number[];
  /** The storage class of the claim that each pod has; undefined: they have none. */
  storageClass?: string;
}

/** The manifest of the StatefulSet `web`, updated in place, without a namespace. */
function ordinals({
  image = 'nginx:1.25',
  replicas = 4,
  policy = 'Required',
  management = 'Parallel',
  reserve,
  storageClass,
}: Ordinals = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: StatefulSet',
    'metadata:',
    '  name: web',
    `  annotations: { plan.kruise.io/policy: ${policy} }`,
    'spec:',
    `  replicas: ${replicas}`,
    '  serviceName: web',
    `  podManagementPolicy: ${management}`,
    ...(reserve === undefined ? [] : [`  reserveOrdinals: [${reserve.join(', ')}]`]),
    '  selector: { matchLabels: { app: web } }',
    '  updateStrategy:',
    '    type: RollingUpdate',
    '    rollingUpdate:',
    '      podUpdatePolicy: InPlaceIfPossible',
    `      maxUnavailable: ${management === 'Parallel' ? 2 : 1}`,
    ...(storageClass === undefined ? [] : claimTemplates(storageClass)),
    '  template:',
    '    metadata: { labels: { app: web } }',
    '    spec:',
    '      terminationGracePeriodSeconds: 1',
    '      readinessGates: [{ conditionType: InPlaceUpdateReady }]',
    '      containers:',
    '        - name: nginx',
    `          image: ${image}`,
    ...(storageClass === undefined ? [] : ['          volumeMounts: [{ name: data, mountPath: /data }]']),
    '',
  ].join('\n');
}

async function change(c: Case, parts: Ordinals): Promise<void> {
  await c.commit(ordinals(parts));
  await c.sync();
}

async function started(c: Case, parts: Ordinals, replicas: number): Promise<void> {
  await change(c, parts);
  await c.until(`${replicas} pods`, (snapshot) => hasAvailable(snapshot, replicas));
  await c.mark();
}

const namesOf = (pods: readonly Stored[]): string =>
  pods
    .map(({ metadata }) => metadata.name)
    .sort()
    .join(', ');

/** StatefulSets of OpenKruise. */
export const statefulSets: RolloutCase[] = [
  {
    golden: 'ordinals-in-place.txt',
    title: 'a StatefulSet is updated in place, the highest ordinal first, after an approval',
    kind: 'StatefulSet',
    steps: approved,
    async play(c) {
      await started(c, {}, 4);
      await c.show();
      await change(c, { image: 'nginx:1.27' });
      await phase(c, 'AwaitingApproval', (snapshot) => hasAvailable(snapshot, 4, 1));
      await c.show();
      await c.status();
      await c.kruise(`approve StatefulSet/web --by ${c.world.user}`);
      await phase(c, 'Succeeded', (snapshot) => hasAvailable(snapshot, 4));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'ordinals-broken.txt',
    title: 'OrderedReady: an image that does not exist stops at the first pod, and a revert mends it',
    kind: 'StatefulSet',
    async play(c) {
      const parts: Ordinals = { management: 'OrderedReady', replicas: 3, policy: 'Auto' };
      await started(c, parts, 3);
      await change(c, { ...parts, image: 'nginx:1.27-missing' });
      await c.until('the first pod has it', ({ targets }) => {
        const [target] = targets;
        const { updatedReplicas, availableReplicas, observedGeneration } = target?.status ?? {};
        return (
          observedGeneration === target?.metadata.generation &&
          updatedReplicas === 1 &&
          availableReplicas === 2
        );
      });
      await c.show();
      c.note('The commit is reverted:');
      await change(c, parts);
      await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'ordinals-claims.txt',
    title: 'claims stay for their ordinal: scaled in and out again, and an ordinal that is reserved',
    kind: 'StatefulSet',
    needs: 'controllers',
    async play(c) {
      await withVolumes(c, 4, async () => {
        const parts: Ordinals = { replicas: 3, policy: 'Auto', storageClass: c.namespace };
        await started(c, parts, 3);
        const first = await uses(c);
        c.note('Scaled in to one pod:');
        await change(c, { ...parts, replicas: 1 });
        await c.until('one pod', (snapshot) => hasAvailable(snapshot, 1));
        await c.kubectl('get persistentvolumeclaims');

        c.note('Scaled out, with ordinal 1 reserved:');
        await change(c, { ...parts, reserve: [1] });
        const { pods } = await c.until('three pods', (snapshot) => hasAvailable(snapshot, 3));
        await c.show();
        const now = await uses(c);
        const same = now.filter((use) => first.includes(use)).length;
        c.note(
          `The pods are ${namesOf(pods)}; ${same} of ${now.length} have the claim and the volume of before.`,
        );
        await c.kubectl('get persistentvolumeclaims');
      });
    },
  },
];
