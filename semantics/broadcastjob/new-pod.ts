import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { affinityTo } from '../node/affinity.ts';
import { nodePodId } from '../node/pod-id.ts';
import { withLaunchOrder } from '../launch/barrier.ts';
import { controllerReference } from '../owner.ts';
import { carriedFinalizers, carriedOver } from '../pod/reserved-keys.ts';
import { objectOf } from '../values/read.ts';
import { JOB_NAME_LABEL, JOB_UID_LABEL } from './labels.ts';
import { RUN_LABEL } from '../run/labels.ts';

/** A pod to create. */
export interface PodAssignment {
  node: string;
  /** Names that other objects have. */
  taken: ReadonlySet<string>;
  /** The run of a plan (`runLabel`): a changed template is another run, with other pods. Undefined: without a plan. */
  run?: string;
}

/** The name of the pod of a node: a node never gets two pods of one run. */
export function podNameOf(job: KubeObject, { node, taken, run = '' }: PodAssignment): string {
  return `${job.metadata.name}-${nodePodId(job, { node, of: run, taken })}`;
}

/**
 * The pod of a job on a node (OpenKruise broadcastjob, section 5). The scheduler assigns it: its required node affinity is
 * replaced by one that only this node meets. Preferred affinity and affinity to pods stay.
 */
export function newPod(job: KubeObject, template: JsonObject, place: PodAssignment): KubeObject {
  const { node, run } = place;
  const { name, namespace, uid = '' } = job.metadata;
  const { finalizers } = objectOf(template['metadata']);
  const { nodeName: _ignored, ...spec } = objectOf(template['spec']);
  return withLaunchOrder({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf(job, place),
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...carriedOver(template, 'labels', 'pod'),
        [JOB_NAME_LABEL]: name,
        [JOB_UID_LABEL]: uid,
        ...(run === undefined ? {} : { [RUN_LABEL]: run }),
      },
      annotations: carriedOver(template, 'annotations', 'pod'),
      ...(Array.isArray(finalizers) ? { finalizers: carriedFinalizers(finalizers as string[]) } : {}),
      ownerReferences: [controllerReference(job)],
    },
    spec: { ...spec, affinity: affinityTo(objectOf(spec['affinity']), node) },
  });
}
