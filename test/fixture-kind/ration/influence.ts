import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { CreatedPod, Influence, ToRecord } from '../../../semantics/influence/influence.ts';
import { timeOf, timestamp } from '../../../semantics/values/timestamp.ts';
import {
  BREAKS_LABEL,
  CREATED_MS,
  isCounted,
  isOf,
  isSound,
  PART_LABEL,
  RANK_ANNOTATION,
  specOf,
  statusOf,
  TAKEN_MS,
} from './spec.ts';

/** What a ration does to what others decide about its pods. */
export const rationInfluence: Influence = {
  protects: true,
  covers: isOf,
  labels: (object) => [{ key: 'app', value: specOf(object).app }],
  onDisrupt(object, now) {
    const { namespace = '', name } = object.metadata;
    const { allowed = 0, taken = {} } = statusOf(object);
    // An entry may end while the write that it is for is on its way: only the first half of its time counts.
    const hasSlot = (pod: string): boolean => timeOf(taken[pod]) + TAKEN_MS / 2 > now;
    return {
      limit: {
        name: `Ration ${namespace}/${name}`,
        most: specOf(object).maxUnavailable,
        unavailable: Object.keys(taken).sort(),
        left: isCounted(object) ? allowed : 0,
      },
      takesSlot(pod, how) {
        failAt(pod);
        return how !== 'Resize' && isSound(pod, now) && !hasSlot(pod.metadata.name);
      },
    };
  },
  onCreate,
  record(object, { disrupted, created }: ToRecord, now) {
    const { allowed = 0, firstLeft = 0 } = statusOf(object);
    const times = (pods: readonly KubeObject[]): Record<string, string> =>
      Object.fromEntries(pods.map(({ metadata }) => [metadata.name, timestamp(now)]));
    return {
      status: {
        ...(disrupted.length > 0 && {
          allowed: allowed - disrupted.length,
          taken: times(disrupted.map(({ pod }) => pod)),
        }),
        ...(created.length > 0 && { firstLeft: firstLeft - created.length, created: times(created) }),
      },
    };
  },
  raise: () => undefined,
  claim: () => undefined,
  deletionCost: () => (pod) => {
    const rank = pod.metadata.annotations?.[RANK_ANNOTATION];
    return rank === undefined ? undefined : Number(rank);
  },
  git: {
    covers(object) {
      const { app } = specOf(object);
      return ({ labels }) => labels['app'] === app;
    },
    limit(object, how) {
      const { maxUnavailable: most, total } = specOf(object);
      return how === 'Resize' ? undefined : { path: ['spec', 'maxUnavailable'], value: most, most, total };
    },
    limitsEvictions: () => false,
  },
};

/** A defect of these rules, as a test needs it. */
function failAt({ metadata }: KubeObject): void {
  if (metadata.labels?.[BREAKS_LABEL] !== undefined) throw new TypeError('no rule reads this');
}

function onCreate(
  object: KubeObject,
  _owner: KubeObject,
  pods: readonly KubeObject[],
  now: number,
): readonly CreatedPod[] {
  const { first } = specOf(object);
  const { firstLeft = 0, created = {} } = statusOf(object);
  let left = isCounted(object) ? firstLeft : 0;
  return pods.map((pod) => {
    failAt(pod);
    if (first === undefined || !isOf(object, pod)) return { pod, isRecorded: false };
    const isKnown = timeOf(created[pod.metadata.name]) + CREATED_MS / 2 > now;
    const isRecorded = !isKnown && left > 0;
    if (isRecorded) left -= 1;
    const labels = { ...pod.metadata.labels, [PART_LABEL]: isKnown || isRecorded ? 'first' : 'rest' };
    return { pod: { ...pod, metadata: { ...pod.metadata, labels } }, isRecorded };
  });
}
