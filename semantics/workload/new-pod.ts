import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { claimTemplatesOf, volumesWithClaims } from '../claims/templates.ts';
import { podNameOf } from '../claims/unit.ts';
import { withLaunchOrder } from '../launch/barrier.ts';
import { controllerReference } from '../owner.ts';
import { carriedFinalizers, carriedOver } from '../pod/reserved-keys.ts';
import { marksNotReady } from '../lifecycle/hooks.ts';
import { firstState, type LifecycleState, stateMetadata } from '../lifecycle/states.ts';
import { IN_PLACE_READY, KRUISE_POD_READY, REVISION_LABEL, SHORT_HASH_LABEL } from '../pod/types.ts';
import { revisionLabel } from '../pod/revision-label.ts';
import type { Revision } from '../revision/revision.ts';
import type { Workload } from './view.ts';

/** What a kind adds to a pod, beyond its template. */
export interface PodOwn {
  /** The name of the pod is `<workload>-<id>`, and that of each of its claims `<template>-<workload>-<id>`. */
  id: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/** A pod of a revision as OpenKruise creates it (`podWithoutState`), in its first lifecycle state. */
export function podOf(
  view: Pick<Workload, 'target' | 'spec' | 'claimNaming'>,
  revision: Revision,
  own: PodOwn,
  now: number,
): KubeObject {
  const made = podWithoutState(view, revision, own);
  return inState(made, firstState(view.spec.lifecycle, made), now);
}

/**
 * A pod of a revision: the revision as labels in both forms, the volumes of its claims, and what its containers wait for to start
 * in their order. Reserved keys of the template are left out; the revision may be one that OpenKruise recorded. It has the gate
 * KruisePodReady if a hook may have to close it.
 */
export function podWithoutState(
  view: Pick<Workload, 'target' | 'spec' | 'claimNaming'>,
  revision: Revision,
  { id, labels, annotations }: PodOwn,
): KubeObject {
  const template = revision.template as { metadata?: JsonObject; spec?: JsonObject };
  const { finalizers } = template.metadata ?? {};
  const spec = template.spec ?? {};
  const claims = claimTemplatesOf(view, revision);
  const { name, namespace } = view.target.metadata;
  const { lifecycle } = view.spec;
  const made: KubeObject = {
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
      },
      annotations: { ...carriedOver(revision.template, 'annotations', 'pod'), ...annotations },
      ...(Array.isArray(finalizers) ? { finalizers: carriedFinalizers(finalizers as string[]) } : {}),
      ownerReferences: [controllerReference(view.target)],
    },
    spec: {
      ...(marksNotReady(lifecycle) ? withGate(spec, KRUISE_POD_READY) : spec),
      ...(claims.length === 0
        ? {}
        : {
            volumes: volumesWithClaims(view.target, claims, (spec['volumes'] ?? []) as JsonObject[], id),
          }),
    },
  };
  return withLaunchOrder(made);
}

function inState(made: KubeObject, state: LifecycleState, now: number): KubeObject {
  const { metadata } = made;
  const recorded = stateMetadata(state, now);
  return {
    ...made,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...recorded.labels },
      annotations: { ...metadata.annotations, ...recorded.annotations },
    },
  };
}

/** Adds the readiness gate for in-place updates to the spec of a pod. */
export function withInPlaceGate(spec: JsonObject): JsonObject {
  return withGate(spec, IN_PLACE_READY);
}

function withGate(spec: JsonObject, conditionType: string): JsonObject {
  const gates = (spec['readinessGates'] ?? []) as { conditionType: string }[];
  const isThere = gates.some((gate) => gate.conditionType === conditionType);
  return isThere ? spec : { ...spec, readinessGates: [...gates, { conditionType }] };
}

/** Sets `imagePullPolicy: Always` on the containers without a pull policy. */
export function withAlwaysPull(spec: JsonObject): JsonObject {
  const containers = (spec['containers'] ?? []) as JsonObject[];
  return {
    ...spec,
    containers: containers.map((c) => ({ ...c, imagePullPolicy: c['imagePullPolicy'] ?? 'Always' })),
  };
}
