import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const requestResource: Resource = resources.ContainerRecreateRequest;

/** Labels of a request (OpenKruise container-recreate-request, section 5): its pod, its node, and that it is not over. */
export const POD_UID_LABEL = 'crr.apps.kruise.io/pod-uid';
export const NODE_LABEL = 'crr.apps.kruise.io/node-name';
export const ACTIVE_LABEL = 'crr.apps.kruise.io/active';

/** A finalizer: its pod is kept out of traffic. In OpenKruise's v1alpha1 an annotation of this name has the time of that. */
export const UNREADY_KEY = 'crr.apps.kruise.io/unready-acquired';
/** An annotation: its containers as they were when it was taken up. OpenKruise's webhook writes that into the spec. */
export const CONTEXT_ANNOTATION = 'plan.kruise.io/recreate-context';

/** What the runtime writes into the metadata of a request. */
export const OWN_LABELS: readonly string[] = [POD_UID_LABEL, NODE_LABEL, ACTIVE_LABEL];

/** The condition since when its pod is not ready, or would be. */
export const GRACE_CONDITION = 'PreRecreateGrace';

/** Seconds; a shorter deadline is refused. */
export const LEAST_DEADLINE = 3;

/** Why a request has ended (OpenKruise container-recreate-request, section 3). */
export const GONE = 'pod has gone';
export const NOT_RESPONDED = 'daemon has not responded for a long time';
export const DEADLINE = 'recreating has exceeded the activeDeadlineSeconds';
