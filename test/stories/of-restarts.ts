import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { MANIFEST, settled, type Story } from './story.ts';

/** Of the pull policy with which a container may restart without a registry. */
const restartable = (image: string): string =>
  `${web({ image, replicas: 2, maxUnavailable: 1 })}        imagePullPolicy: IfNotPresent
      - name: proxy
        image: envoy:1.30
        imagePullPolicy: IfNotPresent
`;

const at = { namespace: 'shop', name: 'restart' };
const end = async ({ user }: StoryCluster): Promise<unknown[]> =>
  endOf(await user.get(resources.ContainerRecreateRequest, at));

/** A person asks for a restart of containers of the first pod. Returns its name. */
async function ask(stage: StoryCluster, containers: readonly string[], strategy = {}): Promise<string> {
  const [first] = await stage.pods();
  const name = first?.metadata.name ?? '';
  stage.transcript.note(`mona asks for a restart of ${containers.join(', then ')} in pod ${name}`);
  const request = recreateRequest('restart', name, containers, { strategy });
  await stage.user.create(resources.ContainerRecreateRequest, request);
  return name;
}

/** The images of a pod, digests in short, with the restarts of each container. */
function containersOf(pod: Pod | undefined): string[] {
  return (pod?.spec.containers ?? []).map(({ name, image }) => {
    const status = pod?.status?.containerStatuses?.find((each) => each.name === name);
    const short = image.replace(/@sha256:[0-9a-f]{64}/, '@…');
    return `${short} ${status?.restartCount ?? 0}`;
  });
}

async function podNamed(stage: StoryCluster, name: string): Promise<Pod | undefined> {
  return (await stage.pods()).find(({ metadata }) => metadata.name === name);
}

/** Restarts of containers that a person asks for. */
export const restarts: readonly Story[] = [
  {
    file: 'restart-in-order',
    title: 'Two containers of one pod are restarted, one after the other',
    summary:
      'A person asks for a restart of the proxy and then of nginx of one pod. The proxy is stopped first. nginx is stopped once the proxy is ready. Both images get another spelling, with the digest that runs. A later rollout changes nginx alone: the other spelling is no change.',
    files: { [MANIFEST]: restartable('nginx:1.25-alpine') },
    async play(stage, expect) {
      await settled(stage);
      const seen = new Set<string>();
      stage.world.onCommit(({ resource, object }) => {
        if (resource !== 'pods') return;
        const pod = object as Pod;
        const spelled = pod.spec.containers
          .filter(({ image }) => image.includes('@'))
          .map(({ name }) => name);
        const ready = (pod.status?.containerStatuses ?? []).filter((each) => each.ready === true);
        if (spelled.length > 0) seen.add(`${spelled.join(' ')}: ${ready.length} ready`);
      });
      const name = await ask(stage, ['proxy', 'nginx'], { orderedRecreate: true });
      await stage.run(60_000);
      expect(await end(stage)).toEqual(['Completed', 'proxy Succeeded true', 'nginx Succeeded true']);
      expect(containersOf(await podNamed(stage, name))).toEqual(['nginx:1.25-alpine@… 1', 'envoy:1.30@… 1']);
      // The second is asked to stop while both are ready.
      expect([...seen]).toEqual([
        'proxy: 2 ready',
        'proxy: 1 ready',
        'nginx proxy: 2 ready',
        'nginx proxy: 1 ready',
      ]);
      await stage.commit('another image', { [MANIFEST]: restartable('nginx:1.27-alpine') });
      await stage.sync();
      await stage.until('Succeeded');
      expect(containersOf(await podNamed(stage, name))).toEqual(['nginx:1.27-alpine 2', 'envoy:1.30@… 1']);
    },
  },
  {
    file: 'restart-during-an-update',
    title: 'A restart is asked for in the middle of an update in place',
    summary:
      'A person asks for a restart of a container while a rollout changes its image in place. The update restarts the container itself, and the request waits for that. The new instance is what was asked for, so that the container restarts once and not twice.',
    files: { [MANIFEST]: restartable('nginx:1.25-alpine') },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('another image', { [MANIFEST]: restartable('nginx:1.27-alpine') });
      await stage.sync();
      let name = '';
      const stop = stage.world.onCommit(({ resource, object }) => {
        const [first] = resource === 'pods' ? (object as Pod).spec.containers : [];
        if (first?.image === 'nginx:1.27-alpine') name = object.metadata.name;
      });
      await stage.clock.runUntil(() => name !== '', { what: 'the first update' });
      stop();
      stage.transcript.note(`mona asks for a restart of nginx in pod ${name}`);
      await stage.user.create(
        resources.ContainerRecreateRequest,
        recreateRequest('restart', name, ['nginx']),
      );
      await stage.until('Succeeded');
      await stage.run(60_000);
      expect((await end(stage))[0]).toBe('Completed');
      expect((await end(stage))[1]).toMatch(/^nginx Succeeded/);
      expect(containersOf(await podNamed(stage, name))).toEqual(['nginx:1.27-alpine 1', 'envoy:1.30 0']);
    },
  },
  {
    file: 'restart-without-a-digest',
    title: 'A restart is refused, as nobody knows the digest of the image',
    summary:
      'The image was loaded into the nodes by hand, so that they report no digest of a repository. With another spelling the kubelet would ask a registry, after it has stopped the container. The request ends before anything stops, and its state says why. The proxy, which is asked for with it, is left alone, too. A rollout is not hindered.',
    files: { [MANIFEST]: restartable('nginx:1.25-alpine') },
    prepare({ world }) {
      world.images.set('nginx:1.25-alpine', { isLoaded: true });
      return Promise.resolve();
    },
    async play(stage, expect) {
      await settled(stage);
      const name = await ask(stage, ['proxy', 'nginx']);
      await stage.run(60_000);
      expect(await end(stage)).toEqual([
        'Completed',
        'proxy Pending',
        expect.stringMatching(
          /^nginx Failed kill container error: the digest of its image is unknown: the node reports sha256:/,
        ),
      ]);
      expect(containersOf(await podNamed(stage, name))).toEqual(['nginx:1.25-alpine 0', 'envoy:1.30 0']);
      await stage.commit('another image', { [MANIFEST]: restartable('nginx:1.27-alpine') });
      await stage.sync();
      await stage.until('Succeeded');
      expect(containersOf(await podNamed(stage, name))).toEqual(['nginx:1.27-alpine 1', 'envoy:1.30 0']);
    },
  },
];
