import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';
import { shipped } from '../security/shipped.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { images, MANIFEST, settled, type Story } from './story.ts';

const NAMESPACE = 'manifests/namespace.yaml';
const namespace = (labels: string): string =>
  ['apiVersion: v1', 'kind: Namespace', `metadata: {name: shop${labels}}`, ''].join('\n');

const PLURALS: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
};

/** Installs the component of `deploy/` by which the API server refuses deletions. */
async function protect({ world }: Pick<StoryCluster, 'world'>): Promise<void> {
  for (const object of shipped('components/deletion-protection')) {
    const plural = PLURALS[object.kind];
    if (plural === undefined) throw new Error(`no resource of ${object.kind}`);
    world.server.create('admin', { group: 'admissionregistration.k8s.io', version: 'v1', plural }, object);
  }
}

/** A sync that may be refused. Returns the code of the refusal; undefined: it is not. */
async function synced(stage: StoryCluster): Promise<number | undefined> {
  try {
    await stage.sync();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error.status;
    stage.transcript.note(`the engine is refused (${code} ${message})`);
    return code;
  }
}

/** Objects whose deletion is refused. */
export const protection: readonly Story[] = [
  {
    file: 'protected-namespace-pruned',
    title: 'An engine prunes a protected namespace',
    summary:
      'A folder with a Namespace and everything in it is removed from git. The Namespace has the label for deletion protection, and `kruise plan` refuses the commit. It is merged anyway. The API server refuses the deletion, at each sync, and no pod stops. The way out is two commits: the first one puts the Namespace back without the label, and the second one removes it.',
    files: { [NAMESPACE]: namespace(`, labels: {${PROTECTION_LABEL}: Always}`), [MANIFEST]: web() },
    prepare: protect,
    async play(stage, expect) {
      await settled(stage);
      const before = await images(stage);
      await stage.commit('remove the shop', { [NAMESPACE]: undefined, [MANIFEST]: undefined });
      for (const wait of [180_000, 3_600_000]) {
        expect(await synced(stage)).toBe(403);
        await stage.run(wait);
      }
      expect(await images(stage)).toEqual(before);
      await stage.commit('bring the shop back without its protection', {
        [NAMESPACE]: namespace(''),
        [MANIFEST]: web(),
      });
      expect(await synced(stage)).toBeUndefined();
      await stage.run(60_000);
      expect(await images(stage)).toEqual(before);
      await stage.commit('remove the shop', { [NAMESPACE]: undefined, [MANIFEST]: undefined });
      expect(await synced(stage)).toBeUndefined();
      await stage.run(120_000);
      const { items } = await stage.user.list(resources.Namespace, {});
      expect([await stage.pods(), items.map(({ metadata }) => metadata.name)]).toEqual([
        [],
        expect.not.arrayContaining(['shop']),
      ]);
    },
  },
];
