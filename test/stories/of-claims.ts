import { resources } from '../../schemas/wire/resources.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { images, lose, MANIFEST, settled, type Story } from './story.ts';

const NEW = 'nginx:1.27-alpine';
const parts = { replicas: 3, maxUnavailable: 1, storage: '1Gi' };

/** A storage class whose volumes are provisioned at once. */
export async function makeClass({ user }: Pick<StoryCluster, 'user'>): Promise<void> {
  const kind = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', kind: 'StorageClass' };
  await user.create(
    { ...kind, namespaced: false },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'disk', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/disk',
      volumeBindingMode: 'Immediate',
    },
  );
}

/** The existing claims, by name and uid. */
async function claimsIn(stage: StoryCluster): Promise<string[]> {
  const { items } = await stage.user.list(resources.PersistentVolumeClaim, { namespace: 'shop' });
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
}

const namesOf = (objects: { metadata: { name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name).sort();

export const claims: readonly Story[] = [
  {
    file: 'claims',
    title: 'What happens to the data of pods',
    summary:
      'Each pod has a claim of its own. A new image is set in place, and the claims stay with their pods. A pod that a drained node takes leaves its claim to its successor, which has its name. A change that recreates pods deletes their claims with them, and so does scaling in: `kruise plan` warns of both.',
    files: { [MANIFEST]: web(parts) },
    prepare: makeClass,
    async play(stage, expect) {
      await settled(stage);
      const [pods, before] = [namesOf(await stage.pods()), await claimsIn(stage)];
      expect(before.map((text) => text.split(' ')[0])).toEqual(pods.map((name) => `data-${name}`));
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ ...parts, image: NEW }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
      expect(await claimsIn(stage)).toEqual(before);
      await lose(stage, NEW);
      await stage.run(60_000);
      expect(namesOf(await stage.pods())).toEqual(pods);
      expect(await claimsIn(stage)).toEqual(before);
      const debug = { ...parts, image: NEW, env: 'debug' };
      await stage.commit('log more', { [MANIFEST]: web(debug) });
      await stage.sync();
      await stage.until('Succeeded');
      // A runtime that was started in between cannot know yet that the last pod is gone: it lets its claim come of age.
      await stage.run(60_000);
      const after = await claimsIn(stage);
      expect(after).toHaveLength(3);
      expect(after.filter((claim) => before.includes(claim))).toEqual([]);
      await stage.commit('two are enough', { [MANIFEST]: web({ ...debug, replicas: 2 }) });
      await stage.sync();
      await stage.run(60_000);
      expect(await claimsIn(stage)).toHaveLength(2);
      expect(await images(stage)).toEqual({ [NEW]: 2 });
    },
  },
];
