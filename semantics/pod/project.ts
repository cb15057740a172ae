import type { Condition } from '../../schemas/wire/object.ts';
import type { Container, ContainerStatus, Pod } from './types.ts';
import { restartsRequested, unexplainedRestarts } from './in-place.ts';
import { controllerOf } from '../owner.ts';
import { launchVariables } from './launch-priority.ts';
import {
  DELETION_COST_ANNOTATION,
  isSidecar,
  KRUISE_POD_READY,
  OLD_GRACE_ANNOTATION,
  OLD_STATE_ANNOTATION,
} from './types.ts';

/** Gives one of all values that are alike, so that ten thousand pods share what they have in common. */
export interface Intern {
  text(value: string): string;
  /** `key` says all there is in the value. The value is never written to. */
  value<Value extends object>(key: string, make: () => Value): Value;
}

/**
 * A pod down to what the rules read of it. Whatever rule reads another field has to add it here; a field that is not here
 * is not there for any rule, and none is ever written back.
 */
export function projectPod(pod: Pod, intern: Intern): Pod {
  const { metadata, spec, status = {} } = pod;
  const owner = controllerOf(pod);
  const startsMatter = restartsRequested(pod) || unexplainedRestarts(pod) > 0;
  const ownerKey =
    owner && keyOf('owner', owner.apiVersion, owner.kind, owner.name, owner.uid, owner.blockOwnerDeletion);
  const sidecars = sidecarsOf(spec.initContainers);
  // Each field is there, if only as undefined: objects of one shape take a third less room, and are read faster.
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
      annotations: annotationsOf(metadata.annotations, intern),
      ownerReferences: owner && ownerKey && intern.value(ownerKey, () => [owner]),
    },
    spec: {
      nodeName: textOf(spec.nodeName, intern),
      containers: containersOf(spec.containers, intern),
      initContainers: sidecars && intern.value(keyOf('sidecars', ...sidecars), () => sidecars.map(sidecarOf)),
      readinessGates:
        spec.readinessGates &&
        intern.value(keyOf('gates', spec.readinessGates), () => spec.readinessGates ?? []),
      terminationGracePeriodSeconds: spec['terminationGracePeriodSeconds'],
    },
    status: pod.status && {
      phase: textOf(status.phase, intern),
      conditions: status.conditions?.map((condition) => conditionOf(condition, intern)),
      containerStatuses: status.containerStatuses?.map((each) =>
        containerStatusOf(each, startsMatter, intern),
      ),
      initContainerStatuses:
        sidecars &&
        status.initContainerStatuses?.flatMap(({ name, restartCount }) =>
          sidecars.includes(name) ? [{ name, restartCount }] : [],
        ),
      observedGeneration: status['observedGeneration'],
    },
  } as Pod;
}

/**
 * The key of a value that is shared: every pod's values are under it, also those of pods of others, so that no text may
 * be read as another list of parts.
 */
function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

/** Undefined where there is none. */
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

const READ_ANNOTATIONS: ReadonlySet<string> = new Set([
  DELETION_COST_ANNOTATION,
  OLD_STATE_ANNOTATION,
  OLD_GRACE_ANNOTATION,
]);

/** Of annotations, those that OpenKruise, the plan's rules and the scale-in order know. */
function annotationsOf(
  annotations: Readonly<Record<string, string>> | undefined,
  intern: Intern,
): Record<string, string> | undefined {
  let kept: Record<string, string> | undefined;
  for (const key in annotations) {
    if (!READ_ANNOTATIONS.has(key) && !key.includes('kruise.io/')) continue;
    kept ??= {};
    kept[key] = intern.text(annotations[key] ?? '');
  }
  return kept;
}

function textsOf(texts: Readonly<Record<string, string>>, intern: Intern): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const key in texts) kept[key] = intern.text(texts[key] ?? '');
  return kept;
}

/** Only whether there is one matters. */
const PROBES = ['readinessProbe', 'startupProbe'] as const;

function containersOf(containers: readonly Container[], intern: Intern): Container[] {
  const key = keyOf(
    'containers',
    ...containers.flatMap((each) => [
      each.name,
      each.image,
      launchVariables(each) ?? null,
      ...PROBES.filter((probe) => each[probe] !== undefined),
    ]),
  );
  return intern.value(key, () =>
    containers.map((each) => {
      const env = launchVariables(each);
      const probes = PROBES.flatMap((probe) => (each[probe] === undefined ? [] : [[probe, {}] as const]));
      return { name: each.name, image: each.image, ...(env && { env }), ...Object.fromEntries(probes) };
    }),
  );
}

/** The scheduler's message is shown, that of OpenKruise's gate names who keeps it shut; the others say again what the status says. */
function conditionOf(condition: Condition, intern: Intern): Condition {
  const { type, status, reason, lastTransitionTime } = condition;
  const isRead = type === KRUISE_POD_READY || (type === 'PodScheduled' && status === 'False');
  const message = isRead ? condition.message : undefined;
  const key = keyOf('condition', type, status, reason, lastTransitionTime, message);
  return intern.value(key, () => ({
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  }));
}

/** When a container was started, and when its last run was, tells it from all others, and is seldom asked. */
function containerStatusOf(status: ContainerStatus, startsMatter: boolean, intern: Intern): ContainerStatus {
  const { name, ready, restartCount, image, imageID } = status;
  const state = status['state'] as
    { running?: { startedAt?: string }; waiting?: { reason?: string }; terminated?: object } | undefined;
  const startedAt = startsMatter ? state?.running?.startedAt : undefined;
  const reason = state?.waiting?.reason;
  const last = startsMatter ? lastRunOf(status) : undefined;
  const how = state && (state.running ? 'running' : state.waiting ? 'waiting' : 'terminated');
  const key = keyOf('status', name, ready, restartCount, image, imageID, how, reason, startedAt, last);
  return intern.value(key, () => ({
    name,
    ...(ready !== undefined && { ready }),
    ...(restartCount !== undefined && { restartCount }),
    ...(image !== undefined && { image }),
    ...(imageID !== undefined && { imageID }),
    ...(how !== undefined && {
      state: {
        [how]: { ...(reason !== undefined && { reason }), ...(startedAt !== undefined && { startedAt }) },
      },
    }),
    ...(last !== undefined && { lastState: { terminated: last } }),
  }));
}

function lastRunOf(status: ContainerStatus): { startedAt: string; finishedAt: string } | undefined {
  const { terminated } = (status['lastState'] ?? {}) as {
    terminated?: { startedAt?: string; finishedAt?: string };
  };
  const { startedAt, finishedAt } = terminated ?? {};
  return startedAt === undefined || finishedAt === undefined ? undefined : { startedAt, finishedAt };
}
