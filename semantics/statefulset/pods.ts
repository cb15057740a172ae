import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Revision } from '../revision/revision.ts';
import { podOf, withAlwaysPull } from '../workload/new-pod.ts';
import type { Slot } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/** Label of a pod: its own name, so that a Service can select it alone. */
export const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
/** Label of a pod: its ordinal. */
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';

/**
 * The pod of an ordinal at a revision (OpenKruise advanced-statefulset, section 5): its name is its hostname, and the
 * service its subdomain. Containers without a pull policy get `imagePullPolicy: Always`. The readiness gate for in-place
 * updates is in the template, or the pod has none.
 */
export function newPod(
  view: StatefulSetView,
  revision: Revision,
  { ordinal, name }: Pick<Slot, 'ordinal' | 'name'>,
  now: number,
): KubeObject {
  const id = String(ordinal);
  const labels = identityLabels({ ordinal, name });
  const pod = podOf(view, revision, { id, labels, annotations: {} }, now);
  const { serviceName } = view.spec;
  const spec = withAlwaysPull(pod['spec'] as JsonObject);
  return {
    ...pod,
    spec: { ...spec, hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }) },
  };
}

/** The labels by which the pod of an ordinal is known, beside those of its template. */
export function identityLabels({ ordinal, name }: Pick<Slot, 'ordinal' | 'name'>): Record<string, string> {
  return { [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinal) };
}

/** The Event of a pod that is created or deleted. */
export function podEvent(
  { target }: StatefulSetView,
  verb: 'create' | 'delete',
  pod: string,
): { type: 'Normal'; reason: string; message: string } {
  const reason = verb === 'create' ? 'SuccessfulCreate' : 'SuccessfulDelete';
  const message = `${verb} Pod ${pod} in StatefulSet ${target.metadata.name} successful`;
  return { type: 'Normal', reason, message };
}
