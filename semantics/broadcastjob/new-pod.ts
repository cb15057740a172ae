import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { NODE_NAME_FIELD } from '../node/node.ts';
import { controllerReference } from '../owner.ts';
import { carriedFinalizers, carriedOver } from '../pod/reserved-keys.ts';
import { objectOf } from '../values/read.ts';
import { JOB_NAME_LABEL, JOB_UID_LABEL } from './labels.ts';

/** Hexadecimal digits in the name of a pod: two of ten thousand nodes share them once in five million jobs. */
const ID_DIGITS = 12;

/**
 * The name of the pod of a node: it follows from job and node, so that a node never gets two pods of one job, whatever a cache
 * shows.
 *
 * @param taken names that other objects have
 */
export function podNameOf(job: KubeObject, node: string, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const digest = createHash('sha256')
      .update(`${job.metadata.uid ?? ''}/${node}/${n}`)
      .digest('hex');
    const name = `${job.metadata.name}-${digest.slice(0, ID_DIGITS)}`;
    if (!taken.has(name)) return name;
  }
}

/**
 * The pod of a job on a node (OpenKruise broadcastjob, section 5). The scheduler assigns it: its required node affinity is
 * replaced by one that only this node meets. Preferred affinity and affinity to pods stay.
 */
export function newPod(
  job: KubeObject,
  template: JsonObject,
  node: string,
  taken: ReadonlySet<string>,
): KubeObject {
  const { name, namespace, uid = '' } = job.metadata;
  const { finalizers } = objectOf(template['metadata']);
  const { nodeName: _ignored, ...spec } = objectOf(template['spec']);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf(job, node, taken),
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...carriedOver(template, 'labels', 'pod'),
        [JOB_NAME_LABEL]: name,
        [JOB_UID_LABEL]: uid,
      },
      annotations: carriedOver(template, 'annotations', 'pod'),
      ...(Array.isArray(finalizers) ? { finalizers: carriedFinalizers(finalizers as string[]) } : {}),
      ownerReferences: [controllerReference(job)],
    },
    spec: { ...spec, affinity: affinityTo(objectOf(spec['affinity']), node) },
  };
}

function affinityTo(affinity: JsonObject, node: string): Json {
  const matchFields = [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...objectOf(affinity['nodeAffinity']),
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}
