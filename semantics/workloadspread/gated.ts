import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PatchAction } from '../decision.ts';
import { isActive } from '../pod/readiness.ts';
import { DELETION_COST_ANNOTATION, type Pod, SHORT_HASH_LABEL } from '../pod/types.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { isGatedBy } from '../pod/gated.ts';
import { objectOf } from '../values/read.ts';
import { timestamp } from '../values/timestamp.ts';
import { placedSpec } from './inject.ts';
import { matchedText, type Without } from './matched.ts';
import { filteredBy } from './members.ts';
import { normalizeSpread, type Subset } from './normalize.ts';
import { GATE, MATCHED_ANNOTATION } from './resource.ts';
import { selectedBy } from './selected-by.ts';

const GATES = [GATE];

/** Whether a pod waits for its subset. */
export function isGated(pod: Pod): boolean {
  return isGatedBy(pod, GATES) && isActive(pod);
}

/** What a pod becomes that waits no longer. */
export interface Lifted {
  pod: Pod;
  /** Undefined: it is in none, and is scheduled as its template says. */
  subset: Subset | undefined;
  /** What it costs to delete it; undefined: nobody reads that. */
  cost: number | undefined;
  /** Why it is in none, where its record is to say so. */
  without?: Without | undefined;
  /** When it is let go, milliseconds since 1970, where that is to be on record: no scheduler has seen it before. */
  at?: number | undefined;
}

const NODE_FIELDS = [
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
] as const;

/**
 * The one write by which a pod gets its subset and is let go to the scheduler: whoever ends before it leaves a pod that waits, and after
 * it one that is done. It is bound to the version that was read, as lists are written whole.
 *
 * @param owner its workload; undefined: it does not exist
 */
export function lift(object: KubeObject, owner: KubeObject | undefined, lifted: Lifted): PatchAction {
  const { pod, subset, without } = lifted;
  const { name } = pod.metadata;
  const gates = { schedulingGates: [{ name: GATE, $patch: 'delete' }] };
  const body: JsonObject =
    subset === undefined
      ? { ...withoutPlace(object, pod, without), spec: gates }
      : {
          metadata: metadataIn(object, owner, { ...lifted, subset }),
          spec: { ...gates, ...changedSpec(pod, subset) },
        };
  const where =
    subset === undefined
      ? 'there is none for it'
      : `subset ${subset.name} of WorkloadSpread ${object.metadata.name}`;
  const reason = `it waits for its subset: ${where}`;
  return { do: 'patch', kind: 'Pod', verb: 'place', name, body: withResourceVersion(pod, body), reason };
}

/** What changes in the metadata of a pod that is in no subset. A record that its template brings would count. */
function withoutPlace(object: KubeObject, pod: Pod, without: Without | undefined): JsonObject {
  const record = without === undefined ? null : matchedText(object, '', { by: without });
  const isKept = normalizeSpread(object).way === 'creates' || !hasRecord(pod);
  return record === null && isKept ? {} : { metadata: { annotations: { [MATCHED_ANNOTATION]: record } } };
}

function hasRecord({ metadata }: Pod): boolean {
  return metadata.annotations?.[MATCHED_ANNOTATION] !== undefined;
}

/** The fields of the spec that placing a pod changes. */
function changedSpec(pod: Pod, subset: Subset): JsonObject {
  const { tolerations, affinity } = placedSpec(pod.spec as unknown as JsonObject, subset, true);
  const nodes = objectOf(objectOf(affinity)['nodeAffinity']);
  const narrowed = Object.fromEntries(
    NODE_FIELDS.flatMap((field) => (nodes[field] === undefined ? [] : [[field, nodes[field]]])),
  );
  return {
    ...(subset.tolerations.length > 0 && tolerations !== undefined && { tolerations }),
    ...(Object.keys(narrowed).length > 0 && { affinity: { nodeAffinity: narrowed } }),
  };
}

/** What identifies the pod to its workload and its WorkloadSpread stays: a patch that changes it is left out. */
function metadataIn(
  object: KubeObject,
  owner: KubeObject | undefined,
  { pod, subset, cost, at }: Lifted & { subset: Subset },
): JsonObject {
  const patched = objectOf(subset.patch?.['metadata']);
  const labels = objectOf(patched['labels']);
  const after = Object.fromEntries(
    Object.entries({ ...pod.metadata.labels, ...labels }).filter(([, value]) => value !== null),
  ) as Record<string, string>;
  const hash = (of: Readonly<Record<string, string>> | undefined): string | undefined =>
    of?.[SHORT_HASH_LABEL];
  const stays =
    owner !== undefined &&
    selectedBy(owner)(after) &&
    hash(after) === hash(pod.metadata.labels) &&
    filteredBy(object)({ metadata: { ...pod.metadata, labels: after } });
  return {
    ...(stays && Object.keys(labels).length > 0 && { labels }),
    annotations: {
      ...(stays && objectOf(patched['annotations'])),
      [MATCHED_ANNOTATION]: matchedText(object, subset.name, {
        at: at === undefined ? undefined : timestamp(at),
      }),
      ...(cost !== undefined && { [DELETION_COST_ANNOTATION]: String(cost) }),
    },
  };
}
