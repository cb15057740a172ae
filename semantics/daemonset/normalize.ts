import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Lifecycle, noHooks, readLifecycle } from '../lifecycle/hooks.ts';
import { resizesInPlace } from '../template/update-policy.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, numberOf, objectOf } from '../values/read.ts';
import type { NormalDaemonSet, UpdateStrategy } from './spec.ts';

/** Lets the partition limit creation, in v1alpha1, which has no field for it. */
export const PROGRESSIVE_ANNOTATION = 'daemonset.kruise.io/progressive-create-pod';

/**
 * Reads either served version (OpenKruise advanced-daemonset, section 2): the fields of v1alpha1 are at the same paths in v1beta1.
 * The server converts nothing, so that the annotation of v1alpha1 counts in both, where the field of v1beta1 is not set. The object
 * must be valid against the schema; a field of another type is read as absent.
 */
export function normalizeDaemonSet(object: KubeObject): NormalDaemonSet {
  const spec = objectOf(object['spec']);
  const update = objectOf(spec['updateStrategy']);
  const onDelete = update['type'] === 'OnDelete';
  const rolling = onDelete ? {} : objectOf(update['rollingUpdate']);
  const { selector } = rolling;
  const strategy: UpdateStrategy = onDelete ? { type: 'OnDelete' } : strategyOf(rolling);
  return {
    selector: objectOf(spec['selector']),
    template: objectOf(spec['template']),
    volumeClaimTemplates: [],
    strategy,
    policy: strategy.type === 'InPlaceIfPossible' ? 'InPlaceIfPossible' : 'ReCreate',
    resizes: resizesInPlace(object),
    partition: intOrPercentOf(rolling['partition']) ?? 0,
    nodeSelector: isObject(selector) ? objectOf(selector) : undefined,
    paused: rolling['paused'] === true,
    partitionedScaling: isProgressive(object, spec),
    burstReplicas: intOrPercentOf(spec['burstReplicas']) ?? 250,
    minReadySeconds: numberOf(spec['minReadySeconds']) ?? 0,
    revisionHistoryLimit: numberOf(spec['revisionHistoryLimit']) ?? 10,
    lifecycle: preDeleteOf(spec['lifecycle']),
  };
}

/** What the webhook of OpenKruise makes of the limits, with its defaults (section 7). */
export function limitsWritten(rolling: JsonObject): { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent } {
  const maxUnavailable = intOrPercentOf(rolling['maxUnavailable']);
  const maxSurge = intOrPercentOf(rolling['maxSurge']);
  if (rolling['rollingUpdateType'] === 'Surging')
    return { maxUnavailable: maxUnavailable ?? 0, maxSurge: maxSurge ?? 1 };
  if (maxUnavailable === undefined && maxSurge === undefined) return { maxUnavailable: 1, maxSurge: 0 };
  return { maxUnavailable: maxUnavailable ?? 0, maxSurge: maxSurge ?? 0 };
}

/** Whether a limit is another number than 0, however it is written. */
export function isSet(limit: IntOrPercent): boolean {
  return scaleIntOrPercent(limit, 100, 'up') !== 0;
}

/** A target with both limits, or with neither, is held (`invalidDaemonSet`). */
function strategyOf(rolling: JsonObject): UpdateStrategy {
  const { maxUnavailable, maxSurge } = limitsWritten(rolling);
  if (rolling['rollingUpdateType'] === 'InPlaceIfPossible')
    return { type: 'InPlaceIfPossible', maxUnavailable };
  return isSet(maxSurge) ? { type: 'Surging', maxSurge } : { type: 'Standard', maxUnavailable };
}

function isProgressive({ metadata }: KubeObject, spec: JsonObject): boolean {
  const { partitionedScaling } = objectOf(spec['scaleStrategy']);
  if (typeof partitionedScaling === 'boolean') return partitionedScaling;
  return metadata.annotations?.[PROGRESSIVE_ANNOTATION] === 'true';
}

/** The only hook of its pods: preNormal is accepted and ignored, and inPlaceUpdate refused. */
function preDeleteOf(value: unknown): Lifecycle {
  const { preDelete } = readLifecycle(value);
  return preDelete === undefined ? noHooks : { preDelete };
}
