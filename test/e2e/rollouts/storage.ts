import { begun, change, done } from './acts.ts';
import type { Case } from './case.ts';
import { hasAvailable, type Stored } from './snapshot.ts';
import { eventually } from './programs.ts';
import type { RolloutCase } from './suite.ts';

const VOLUMES = '/api/v1/persistentvolumes';

/** Creates volumes of the class with the name of the namespace: no claim of another case binds them. */
async function makeVolumes(c: Case, sizes: readonly string[]): Promise<string[]> {
  const names = sizes.map((_, index) => `${c.namespace}-disk-${index + 1}`);
  for (const [index, name] of names.entries())
    await c.world.server.rest('POST', VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: sizes[index] ?? '' },
        hostPath: { path: `/tmp/${name}` },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: c.namespace,
      },
    });
  return names;
}

/** Plays with free volumes of the case's own class, this many of 1Gi or of these sizes, and deletes them afterwards. */
export async function withVolumes(
  c: Case,
  free: number | readonly string[],
  play: (volumes: readonly string[]) => Promise<void>,
): Promise<void> {
  const volumes = await makeVolumes(c, typeof free === 'number' ? Array<string>(free).fill('1Gi') : free);
  try {
    await play(volumes);
  } finally {
    for (const name of volumes) await c.world.server.rest('DELETE', `${VOLUMES}/${name}`);
  }
}

const claimsOf = async (c: Case): Promise<Stored[]> => (await c.snapshot(['claims'])).claims;

/** Which claim each pod uses, which one that is, and which volume it has got: `web-x data-web-x <uid> disk-1`. */
export async function uses(c: Case): Promise<string[]> {
  const { pods, claims } = await c.snapshot(['pods', 'claims']);
  return pods
    .map(({ metadata, spec }) => {
      const { volumes } = spec as { volumes: { persistentVolumeClaim?: { claimName: string } }[] };
      const name = volumes.find((volume) => volume.persistentVolumeClaim)?.persistentVolumeClaim?.claimName;
      const claim = claims.find((each) => each.metadata.name === name);
      return [metadata.name, name, claim?.metadata.uid, claim?.spec?.['volumeName']].map(String).join(' ');
    })
    .sort();
}

/** Records how many pods use the same claim, with the same volume, as they did before. */
async function compare(c: Case, before: readonly string[]): Promise<void> {
  const now = await uses(c);
  const same = now.filter((use) => before.includes(use)).length;
  c.note(`${same} of ${now.length} pods have the claim and the volume that a pod of their name had before.`);
}

/** How many of these volumes are in which phase. */
async function phases(c: Case, volumes: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = { Bound: 0, Released: 0 };
  for (const name of volumes) {
    const { status } = (await c.world.server.rest('GET', `${VOLUMES}/${name}`)) as Stored;
    const phase = String(status?.['phase']);
    counts[phase] = (counts[phase] ?? 0) + 1;
  }
  return counts;
}

/** The claims of pods. */
export const storage: RolloutCase[] = [
  {
    golden: 'claims.txt',
    title: 'claims stay with their pods and with replacements of lost ones, and are deleted when scaled in',
    needs: 'controllers',
    async play(c) {
      const parts = { storageClass: c.namespace };
      await withVolumes(c, 3, async (volumes) => {
        await begun(c, parts);
        await c.kubectl('get persistentvolumeclaims');
        const first = await uses(c);
        c.note('An image is changed in place:');
        await change(c, { ...parts, image: 'nginx:1.27' });
        await done(c, 3);
        await compare(c, first);

        c.note('A pod is deleted by hand:');
        const [lost] = (await c.snapshot(['pods'])).pods;
        await c.kubectl(`delete pod ${lost?.metadata.name}`);
        await c.until(
          'it is there again',
          (snapshot) =>
            hasAvailable(snapshot, 3) &&
            snapshot.pods.some(
              ({ metadata: { name, uid } }) => name === lost?.metadata.name && uid !== lost.metadata.uid,
            ),
        );
        await c.show();
        await c.retained();
        await compare(c, first);

        c.note('Scaled in by one, which is the replacement:');
        // Otherwise it depends on how many pods of others are on a node.
        await c.kubectl(`annotate pod ${lost?.metadata.name} controller.kubernetes.io/pod-deletion-cost=-1`);
        await change(c, { ...parts, image: 'nginx:1.27', replicas: 2 });
        await c.until('two pods', (snapshot) => hasAvailable(snapshot, 2));
        await eventually('two claims', async () => (await claimsOf(c)).length === 2);
        await c.show();
        await compare(c, first);
        await c.kubectl('get persistentvolumeclaims');
        await eventually(
          'one volume is free of its claim',
          async () => (await phases(c, volumes)).Released === 1,
        );
        c.note(`The phases of the volumes: ${JSON.stringify(await phases(c, volumes))}`);
      });
    },
  },
  {
    golden: 'claims-recreated.txt',
    title: 'another image and larger claims in one change: pods are recreated, each with a new claim',
    needs: 'controllers',
    async play(c) {
      const parts = { storageClass: c.namespace };
      await withVolumes(c, ['1Gi', '1Gi', '1Gi', '2Gi', '2Gi', '2Gi'], async (volumes) => {
        await begun(c, { ...parts, storage: '1Gi' });
        await c.kubectl('get persistentvolumeclaims');
        const first = await uses(c);
        await change(c, { ...parts, storage: '2Gi', image: 'nginx:1.27' });
        await done(c, 3);
        await eventually('three claims', async () => (await claimsOf(c)).length === 3);
        await c.kubectl('get persistentvolumeclaims');
        await compare(c, first);
        await eventually(
          'three volumes are free of their claims',
          async () => (await phases(c, volumes)).Released === 3,
        );
        c.note(`The phases of the volumes: ${JSON.stringify(await phases(c, volumes))}`);
      });
    },
  },
];
