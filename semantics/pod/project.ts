import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import type { Container, Pod } from './types.ts';
import { restartsRequested, unexplainedRestarts } from './in-place.ts';
import { controllerOf } from '../owner.ts';
import { type Intern, keyOf } from './intern.ts';
import { LAUNCH_BARRIER_ENV, launchVariables, variableOf } from './launch-priority.ts';
import { isResized, readResources, RESIZE_IN_PROGRESS, RESIZE_PENDING } from './resize.ts';
import { RESIZABLE } from '../template/amounts.ts';
import { restartsFor } from '../template/resize.ts';
import { containerStatusOf, initStatusesOf } from './project-statuses.ts';
import { endsOf, gatedSpec, placedSpec } from './placed.ts';
import {
  DELETION_COST_ANNOTATION,
  isSidecar,
  KRUISE_POD_READY,
  OLD_GRACE_ANNOTATION,
  OLD_STATE_ANNOTATION,
} from './types.ts';
import { cutForeign } from '../values/text.ts';

/**
 * The part of a pod that the rules read. A rule that reads another field must add it here. The projection is never written
 * to the cluster.
 *
 * @param isPlaced the units of its target are nodes: the rules test the pod against its node, and count what it ran if it ends
 * @param isSelected a target selects it, whoever owns it: the rules may change any annotation
 */
export function projectPod(pod: Pod, intern: Intern, isPlaced = false, isSelected = false): Pod {
  const { metadata, spec, status = {} } = pod;
  const owner = controllerOf(pod);
  const startsMatter = restartsRequested(pod) || unexplainedRestarts(pod) > 0;
  const ownerKey =
    owner && keyOf('owner', owner.apiVersion, owner.kind, owner.name, owner.uid, owner.blockOwnerDeletion);
  const sidecars = sidecarsOf(spec.initContainers);
  const resized = isResized(pod);
  const containers = containersOf(spec.containers, resized, intern);
  const isOrdered = containers.some(({ env }) => env !== undefined);
  // Every field is set, if only to undefined: objects of one shape need a third less memory, and are read faster.
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: {
      name: metadata.name,
      namespace: textOf(metadata.namespace, intern),
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      generation: metadata.generation,
      creationTimestamp: textOf(metadata.creationTimestamp, intern),
      deletionTimestamp: metadata.deletionTimestamp,
      labels: metadata.labels && textsOf(metadata.labels, intern),
      annotations: annotationsOf(metadata.annotations, intern, isSelected),
      finalizers:
        metadata.finalizers &&
        intern.value(keyOf('finalizers', ...metadata.finalizers), () => metadata.finalizers ?? []),
      ownerReferences: owner && ownerKey && intern.value(ownerKey, () => [owner]),
    },
    spec: {
      nodeName: textOf(spec.nodeName, intern),
      containers,
      initContainers: sidecars && intern.value(keyOf('sidecars', ...sidecars), () => sidecars.map(sidecarOf)),
      readinessGates:
        spec.readinessGates &&
        intern.value(keyOf('gates', spec.readinessGates), () => spec.readinessGates ?? []),
      terminationGracePeriodSeconds: spec['terminationGracePeriodSeconds'],
      ...(isPlaced && placedSpec(spec, containers, intern)),
      ...(spec['schedulingGates'] !== undefined && gatedSpec(spec)),
    },
    status: pod.status && {
      phase: textOf(status.phase, intern),
      conditions: status.conditions?.map((condition) => conditionOf(condition, intern)),
      containerStatuses: status.containerStatuses?.map((each) =>
        containerStatusOf(each, metadata.name, { startsMatter, resized }, intern),
      ),
      initContainerStatuses: initStatusesOf(status.initContainerStatuses, sidecars),
      observedGeneration: status['observedGeneration'],
      ...(isPlaced &&
        doesEnd(spec) &&
        endsOf(
          status,
          isOrdered
            ? (each) =>
                containerStatusOf(each, metadata.name, { startsMatter: false, resized: false }, intern)
            : undefined,
        )),
    },
  } as Pod;
}

/** Whether the containers of a pod end. Those of any other are read as they run: they may be updated in place. */
function doesEnd({ restartPolicy }: Pod['spec']): boolean {
  return restartPolicy === 'Never' || restartPolicy === 'OnFailure';
}

/** Names of the sidecars; undefined: there are none. */
function sidecarsOf(initContainers: readonly Container[] | undefined): string[] | undefined {
  const names = initContainers?.flatMap((each) => (isSidecar(each) ? [each.name] : [])) ?? [];
  return names.length === 0 ? undefined : names;
}

function sidecarOf(name: string): { name: string; restartPolicy: string } {
  return { name, restartPolicy: 'Always' };
}

function textOf(text: string | undefined, intern: Intern): string | undefined {
  return text === undefined ? undefined : intern.text(text);
}

/** Half of an object, and no rule reads it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const READ_ANNOTATIONS: ReadonlySet<string> = new Set([
  DELETION_COST_ANNOTATION,
  OLD_STATE_ANNOTATION,
  OLD_GRACE_ANNOTATION,
]);

/** The annotations that OpenKruise, the rules of plans, and the scale-in order use. */
function annotationsOf(
  annotations: Readonly<Record<string, string>> | undefined,
  intern: Intern,
  isWhole: boolean,
): Record<string, string> | undefined {
  let copied: Record<string, string> | undefined;
  for (const key in annotations) {
    const isRead = READ_ANNOTATIONS.has(key) || key.includes('kruise.io/');
    if (!isRead && !(isWhole && key !== LAST_APPLIED)) continue;
    copied ??= {};
    copied[key] = intern.text(annotations[key] ?? '');
  }
  return copied;
}

function textsOf(texts: Readonly<Record<string, string>>, intern: Intern): Record<string, string> {
  const copied: Record<string, string> = {};
  for (const key in texts) copied[key] = intern.text(texts[key] ?? '');
  return copied;
}

/** Probes of which only the existence matters. */
const PROBES = ['readinessProbe', 'startupProbe'] as const;

/** @param resized the last update has changed resources: only then the rules read them */
function containersOf(containers: readonly Container[], resized: boolean, intern: Intern): Container[] {
  const reduced = (): Container[] =>
    containers.map((each) => {
      const env = launchVariables(each);
      const probes = PROBES.flatMap((probe) => (each[probe] === undefined ? [] : [[probe, {}] as const]));
      return {
        name: each.name,
        image: each.image,
        ...(env && { env }),
        ...(resized && { resources: readResources(each['resources']), resizePolicy: restartedFor(each) }),
        ...Object.fromEntries(probes),
      };
    });
  // Barriers have the name of their pod: no other pod has equal ones, and interned they would outlive it.
  if (containers.some((each) => variableOf(each, LAUNCH_BARRIER_ENV) !== undefined)) return reduced();
  const key = keyOf(
    'containers',
    ...containers.flatMap((each) => [
      each.name,
      each.image,
      launchVariables(each) ?? null,
      resized ? [readResources(each['resources']), restartedFor(each)] : null,
      ...PROBES.filter((probe) => each[probe] !== undefined),
    ]),
  );
  return intern.value(key, reduced);
}

/** The part of the `resizePolicy` that restarts a container. */
function restartedFor(container: Container): JsonObject[] {
  return RESIZABLE.filter((resource) => restartsFor(container, resource)).map((resourceName) => ({
    resourceName,
    restartPolicy: 'RestartContainer',
  }));
}

/**
 * Keeps only the messages that are read: those of the scheduler, of the kubelet about resizes, and those that are JSON.
 * OpenKruise's gate lists its holders so, and another condition what can change in place.
 */
function conditionOf(condition: Condition, intern: Intern): Condition {
  const { type, status, reason, lastTransitionTime } = condition;
  const isRead =
    type === KRUISE_POD_READY ||
    type === RESIZE_PENDING ||
    type === RESIZE_IN_PROGRESS ||
    condition.message?.startsWith('{') === true ||
    (type === 'PodScheduled' && status === 'False');
  const { message: text = '' } = condition;
  // JSON that is cut could not be read.
  const message =
    !isRead || condition.message === undefined ? undefined : text.startsWith('{') ? text : cutForeign(text);
  const key = keyOf('condition', type, status, reason, lastTransitionTime, message);
  return intern.value(key, () => ({
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  }));
}
