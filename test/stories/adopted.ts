import { parse } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { revisionData } from '../../semantics/revision/revisions.ts';
import { resourceOf } from '../../examples/demo/engine.ts';
import type { StoryCluster } from './stage.ts';

interface Target extends KubeObject {
  spec: { template: { metadata: { labels: Record<string, string> }; spec: JsonObject } & JsonObject };
}

/**
 * What OpenKruise leaves in the middle of an update: the CloneSet at the second manifest, a ControllerRevision of each
 * template under its own names, `each` pods of each revision, all of them ready, and `status.currentRevision` at the
 * first.
 */
export function leftByOpenKruise(manifests: [string, string], each: number) {
  return async ({
    user,
    clock,
    transcript,
  }: Pick<StoryCluster, 'user' | 'clock' | 'transcript'>): Promise<void> => {
    const [before, after] = manifests.map((text) => parse(text) as Target) as [Target, Target];
    const resource = resourceOf(after);
    const live = await user.create(resource, after);
    const { name, uid = '', namespace = '' } = live.metadata;
    const revisions = [`${name}-6cbd4f9c8d`, `${name}-7f8d5bc694`] as const;
    const status = {
      currentRevision: revisions[0],
      updateRevision: revisions[1],
      replicas: 2 * each,
      readyReplicas: 2 * each,
      availableReplicas: 2 * each,
      updatedReplicas: each,
      updatedReadyReplicas: each,
    };
    const asStatus = { subresource: 'status' } as const;
    await user.patch(resources.CloneSet, { namespace, name }, { type: 'merge', body: { status } }, asStatus);
    const owner = {
      apiVersion: live.apiVersion,
      kind: 'CloneSet',
      name,
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    for (const [index, { spec }] of [before, after].entries()) {
      const revision = revisions[index] ?? '';
      const metadata = { namespace, ownerReferences: [owner] };
      await user.create(resources.ControllerRevision, {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { ...metadata, name: revision },
        data: revisionData(spec.template),
        revision: index + 1,
      });
      for (let n = 0; n < each; n++) {
        const id = `${'bdx'[index]}${'4678'[n]}zk2`;
        const pod = await user.create(resources.Pod, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            ...metadata,
            name: `${name}-${id}`,
            labels: {
              ...spec.template.metadata.labels,
              'apps.kruise.io/cloneset-instance-id': id,
              'controller-revision-hash': revision,
              'lifecycle.apps.kruise.io/state': 'Normal',
            },
          },
          spec: { ...spec.template.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
        });
        const conditions = [{ type: 'InPlaceUpdateReady', status: 'True' }];
        const at = { namespace, name: pod.metadata.name };
        await user.patch(
          resources.Pod,
          at,
          { type: 'strategic', body: { status: { conditions } } },
          asStatus,
        );
      }
    }
    await clock.advance(10_000);
    transcript.note(
      `OpenKruise is taken away in the middle of an update, with ${each} of ${2 * each} pods at ${revisions[1]}`,
    );
  };
}
