import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type {
  Admission,
  Creation,
  NewPod,
  PodRequest,
  PodReviewRules,
  Verdict,
} from '../../../semantics/kinds/admission.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { KEEP_ANNOTATION, SEAT_ANNOTATION, specOf, statusOf } from './spec.ts';

/** Lets so many pods go. */
export const keepReview: PodReviewRules = {
  of: 'pods',
  operations: ['DELETE', 'EVICT', 'UPDATE', 'RESIZE'],
  conditions: [
    {
      name: 'linked',
      expression: `has(oldObject.metadata.annotations) && '${KEEP_ANNOTATION}' in oldObject.metadata.annotations`,
    },
  ],
  failurePolicy: 'Fail',
  records: true,
  review,
};

/** What controls the pods of a Deployment. */
export const replicaSetResource: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
};

/** Links new pods to the Keep that selects them, too, and gives each a seat where there are seats. */
export const keepAdmission: Admission = {
  option: undefined,
  create: {
    of: 'new pods',
    conditions: [],
    records: true,
    reads: [replicaSetResource],
    alsoReads: { among: [], of: () => undefined },
    create,
    trial: { does: 'links', podFor: () => undefined, isChanged: () => false },
  },
  review: keepReview,
  policy: undefined,
};

function create({ pod, owners, objects, requestId }: NewPod): Creation {
  const { labels = {}, annotations } = pod.metadata;
  const object = objects.find((each) => {
    const { selector, deployment } = specOf(each);
    const isOwned = owners.some(({ kind, name }) => kind === 'Deployment' && name === deployment);
    return (
      Object.entries(selector).every(([key, value]) => labels[key] === value) &&
      (deployment === undefined || isOwned)
    );
  });
  if (object === undefined) return { is: 'allowed', pod };
  const { seats } = specOf(object);
  const linked = { ...annotations, [KEEP_ANNOTATION]: object.metadata.name };
  const withAnnotations = (added: Record<string, string>): KubeObject => ({
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...linked, ...added } },
  });
  if (seats === undefined) return { is: 'allowed', pod: withAnnotations({}) };
  const given = statusOf(object).seats;
  const who = pod.metadata.name === '' ? requestId : (pod.metadata.name ?? requestId);
  const used = new Set(Object.values(given));
  const seat =
    given[who] ?? Array.from({ length: seats }, (_, index) => index).find((each) => !used.has(each));
  if (seat === undefined) return { is: 'refused', object, message: `all ${seats} seats are given` };
  const seated = withAnnotations({ [SEAT_ANNOTATION]: String(seat) });
  if (given[who] !== undefined) return { is: 'allowed', pod: seated };
  return { is: 'recorded', pod: seated, object, status: { seats: { [who]: seat } } };
}

function review(object: KubeObject, asked: PodRequest, now: number): Verdict {
  const { name, annotations = {} } = asked.pod.metadata;
  if (annotations[KEEP_ANNOTATION] !== object.metadata.name) return { is: 'allowed' };
  if (annotations['test.plan.kruise.io/breaks-the-rules'] !== undefined)
    throw new Error('no rule reads this');
  if (asked.operation === 'UPDATE')
    return asked.after.metadata.annotations?.[KEEP_ANNOTATION] === object.metadata.name
      ? { is: 'allowed' }
      : { is: 'refused', message: `pod ${name} must stay linked` };
  const { allowed } = specOf(object);
  const { taken } = statusOf(object);
  if (Object.hasOwn(taken, name)) return { is: 'allowed' };
  const names = Object.keys(taken).sort();
  if (names.length >= allowed)
    return { is: 'refused', message: `${names.length} of ${allowed} pods have gone: ${names.join(', ')}` };
  return { is: 'recorded', status: { taken: { [name]: timestamp(now) } } };
}
