import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { claimTemplatesOf, volumesWithClaims } from '../claims/templates.ts';
import { podNameOf } from '../claims/unit.ts';
import { controllerReference } from '../owner.ts';
import { timestamp } from '../values/timestamp.ts';
import { carriedFinalizers, carriedOver } from '../pod/reserved-keys.ts';
import {
  IN_PLACE_READY,
  LIFECYCLE_LABEL,
  LIFECYCLE_TIME_ANNOTATION,
  REVISION_LABEL,
  revisionLabel,
  SHORT_HASH_LABEL,
} from '../pod/types.ts';
import type { Revision } from '../revision/revision.ts';
import type { Workload } from './view.ts';

/** What a kind gives to a pod beside what its template says. */
export interface PodOwn {
  /** `<workload>-<id>` is its name, and `<template>-<workload>-<id>` that of each of its claims. */
  id: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/**
 * A pod of `revision` as OpenKruise makes it: the revision as labels in both forms, state Normal at once because no hook holds it
 * back, and the volumes of its claims. It has none of the reserved keys of its template, which may be of a revision that OpenKruise recorded.
 */
export function podOf(
  view: Pick<Workload, 'target' | 'spec' | 'claimNaming'>,
  revision: Revision,
  { id, labels, annotations }: PodOwn,
  now: number,
): KubeObject {
  const template = revision.template as { metadata?: JsonObject; spec?: JsonObject };
  const { finalizers } = template.metadata ?? {};
  const spec = template.spec ?? {};
  const claims = claimTemplatesOf(view, revision);
  const { name, namespace } = view.target.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf(view.target, id),
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...carriedOver(revision.template, 'labels', 'pod'),
        ...labels,
        [REVISION_LABEL]: revisionLabel(revision),
        [SHORT_HASH_LABEL]: revision.shortHash,
        [LIFECYCLE_LABEL]: 'Normal',
      },
      annotations: {
        ...carriedOver(revision.template, 'annotations', 'pod'),
        [LIFECYCLE_TIME_ANNOTATION]: timestamp(now),
        ...annotations,
      },
      ...(Array.isArray(finalizers) ? { finalizers: carriedFinalizers(finalizers as string[]) } : {}),
      ownerReferences: [controllerReference(view.target)],
    },
    spec: {
      ...spec,
      ...(claims.length === 0
        ? {}
        : {
            volumes: volumesWithClaims(view.target, claims, (spec['volumes'] ?? []) as JsonObject[], id),
          }),
    },
  };
}

/** The spec of a pod with the readiness gate that keeps it out of traffic while it is updated in place. */
export function withInPlaceGate(spec: JsonObject): JsonObject {
  const gates = (spec['readinessGates'] ?? []) as { conditionType: string }[];
  return {
    ...spec,
    readinessGates: gates.some((gate) => gate.conditionType === IN_PLACE_READY)
      ? gates
      : [...gates, { conditionType: IN_PLACE_READY }],
  };
}

/** The spec of a pod whose containers pull their image at each start where they say nothing else. */
export function withAlwaysPull(spec: JsonObject): JsonObject {
  const containers = (spec['containers'] ?? []) as JsonObject[];
  return {
    ...spec,
    containers: containers.map((c) => ({ ...c, imagePullPolicy: c['imagePullPolicy'] ?? 'Always' })),
  };
}
