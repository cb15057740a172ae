import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { resourceOf } from '../../examples/demo/engine.ts';
import { agent, files, fiveNodes, imagesOn, NATIVE, NEW, newOn, OURS, podsOn } from './node-stage.ts';
import type { StoryCluster } from './stage.ts';
import { MANIFEST, settled, type Story } from './story.ts';

/** `kubectl delete --cascade=orphan`. */
async function orphan({ user, clock, transcript }: StoryCluster, apiVersion: string): Promise<void> {
  const resource = resourceOf({ apiVersion, kind: 'DaemonSet', metadata: { name: 'web' } });
  transcript.note(`kubectl delete ${resource.plural}.${resource.group} web -n shop --cascade=orphan`);
  await user.delete(resource, { namespace: 'shop', name: 'web' }, { propagationPolicy: 'Orphan' });
  await clock.advance(5_000);
}

const controllers = (pods: readonly KubeObject[]): (string | undefined)[] =>
  pods.map((pod) => controllerOf(pod)?.apiVersion);
const five = (apiVersion: string | undefined): (string | undefined)[] =>
  Array.from({ length: 5 }, () => apiVersion);

export const adoptedNodes: readonly Story[] = [
  {
    file: 'nodes-from-apps-v1',
    title: 'A DaemonSet from apps/v1 and back',
    summary:
      'A DaemonSet of Kubernetes has a pod on each of five nodes. A commit changes its apiVersion, and a person deletes it with --cascade=orphan. The runtime adopts its revision and its pods as they are. The next image needs a plan, as always. A commit back sets OnDelete, so that the controller of Kubernetes restarts no pod that it did not create.',
    files: { ...files, [MANIFEST]: agent({ apiVersion: NATIVE }) },
    controllers: true,
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      const before = await podsOn(stage);
      expect(controllers(await stage.pods())).toEqual(five(NATIVE));
      const revisions = async (): Promise<string[]> =>
        (await stage.user.list(resources.ControllerRevision, { namespace: 'shop' })).items.map(
          ({ metadata }) => metadata.name,
        );
      const [revision = '', ...others] = await revisions();
      expect(others).toEqual([]);

      await stage.commit('the DaemonSet of OpenKruise', { [MANIFEST]: agent() });
      await orphan(stage, NATIVE);
      expect(controllers(await stage.pods())).toEqual(five(undefined));
      await settled(stage);
      expect(controllers(await stage.pods())).toEqual(five(OURS));
      expect(await podsOn(stage)).toEqual(before);
      expect(await revisions()).toEqual([revision]);
      expect((await stage.target())['status']).toMatchObject({
        desiredNumberScheduled: 5,
        numberAvailable: 5,
        updatedNumberScheduled: 5,
        updateRevision: revision.slice('web-'.length),
      });

      await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await imagesOn(stage)).toEqual(newOn(1, 2, 3, 4, 5));
      const updated = await podsOn(stage);

      await stage.commit('the DaemonSet of Kubernetes', {
        [MANIFEST]: agent({ apiVersion: NATIVE, image: NEW, strategy: 'OnDelete' }),
      });
      await orphan(stage, OURS);
      await settled(stage);
      expect(controllers(await stage.pods())).toEqual(five(NATIVE));
      expect(await podsOn(stage)).toEqual(updated);
    },
  },
];
