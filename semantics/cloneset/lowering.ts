import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { loweringTo, type RowOf, type Neighbors } from '../kinds/lowering.ts';
import { atMostAll, isZeroLimit, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { numberOf, objectOf } from '../values/read.ts';
import {
  hooksRow,
  inPlaceRow,
  launchOrderRow,
  nativeOrderRow,
  orderedTemplate,
  plainFields,
  plainMetadata,
  plainTemplateAlways,
  preDownloadRow,
  requiredRow,
  WHOLE_PERCENT,
} from '../workload/plain.ts';
import { spreadRow } from '../workload/spread-row.ts';
import { LIFECYCLE_LABEL, REVISION_LABEL } from '../pod/types.ts';
import { INSTANCE_ID_LABEL } from './claim-naming.ts';
import { mostUnavailable } from './limits.ts';
import { normalizeCloneSet, type NormalCloneSet } from './normalize.ts';

/** What Kubernetes has for "no deadline". */
const NO_DEADLINE = 2147483647;

/** Labels that pods of a CloneSet alone have. */
const OWN_LABELS = [REVISION_LABEL, INSTANCE_ID_LABEL, LIFECYCLE_LABEL] as const;

/** A number would stand for a percentage of other replicas. */
const NOT_LASTING = 'where git has no replicas or an autoscaler changes them';

interface Read extends NormalCloneSet, Neighbors {
  object: KubeObject;
  /** Replicas as they stay; undefined: something else than git decides. */
  lasting: number | undefined;
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'partition',
    instead: 'a Deployment would update the pods that are to stay',
    applies: ({ partition }) => !isZeroLimit(partition),
  },
  {
    what: 'updateStrategy.type OnDelete',
    instead: 'a Deployment would update every pod',
    applies: ({ type }) => type === 'OnDelete',
  },
  {
    what: 'volumeClaimTemplates',
    instead: 'a Deployment has no claims of its own, so their data would be lost',
    applies: ({ volumeClaimTemplates }) => volumeClaimTemplates.length > 0,
  },
  {
    what: 'paused',
    instead: 'a Deployment that is created so has no pods',
    applies: ({ paused }) => paused,
  },
  hooksRow,
  {
    what: 'scaleStrategy.podsToDelete',
    instead: 'a Deployment chooses other pods',
    applies: ({ podsToDelete }) => podsToDelete.length > 0,
  },
  {
    what: 'maxUnavailable and maxSurge 0',
    instead: 'no pod is updated; Kubernetes refuses that',
    applies: ({ maxUnavailable, maxSurge }) => isZeroLimit(maxUnavailable) && isZeroLimit(maxSurge),
  },
  {
    what: `limits that are no whole percentages, ${NOT_LASTING}`,
    instead: 'Kubernetes refuses them',
    applies: ({ maxUnavailable, maxSurge, lasting }) =>
      lasting === undefined &&
      [maxUnavailable, maxSurge].some((each) => typeof each === 'string' && !WHOLE_PERCENT.test(each)),
  },
  {
    what: 'progressDeadlineSeconds that minReadySeconds exceed',
    instead: 'Kubernetes refuses that',
    applies: ({ progressDeadlineSeconds = NO_DEADLINE, minReadySeconds }) =>
      progressDeadlineSeconds <= minReadySeconds,
  },
];

const losses: readonly Row[] = [
  requiredRow,
  spreadRow,
  inPlaceRow,
  {
    what: 'priorityStrategy and scatterStrategy',
    instead: 'pods are updated in no order',
    applies: ({ priorities, scatter }) => priorities !== undefined || scatter.length > 0,
  },
  {
    what: 'scaleStrategy.maxUnavailable',
    instead: 'missing pods are created at once',
    applies: ({ scaleMaxUnavailable }) => scaleMaxUnavailable !== undefined,
  },
  {
    what: `maxUnavailable in percent without maxSurge, ${NOT_LASTING}`,
    instead: 'it is rounded down, and is at least 1',
    applies: ({ maxUnavailable, maxSurge, lasting }) =>
      typeof maxUnavailable === 'string' && isZeroLimit(maxSurge) && lasting === undefined,
  },
  {
    what: 'topologySpreadConstraints',
    instead: 'scale-in keeps pods spread over nodes alone',
    applies: ({ spreadOver }) => spreadOver.length > 0,
  },
  {
    what: `a pod template that names ${OWN_LABELS.join(', ')}`,
    instead: 'no pod has these labels: variables of them are empty, and selectors of pods find none',
    applies: ({ template }) => namesAny(objectOf(template['spec']), OWN_LABELS),
  },
  launchOrderRow,
  nativeOrderRow,
  preDownloadRow,
];

/** A CloneSet as a Deployment (OpenKruise cloneset, section 12). */
export const cloneSetLowering = loweringTo<Read>({
  to: { apiVersion: 'apps/v1', kind: 'Deployment' },
  stays,
  losses,
  differs: [
    'pods belong to a ReplicaSet, whose hash is in their names',
    `pods have the label pod-template-hash, and not ${OWN_LABELS.join(', ')}`,
    'the annotation controller.kubernetes.io/pod-deletion-cost counts at scale-in alone',
    'a pod with the label apps.kruise.io/specified-delete is not deleted',
  ],
  read(object, around) {
    const read = normalizeCloneSet(object);
    return {
      ...read,
      ...around,
      object,
      // Kubernetes refuses more.
      maxUnavailable: atMostAll(read.maxUnavailable),
      lasting: around.isScaled ? undefined : numberOf(objectOf(object['spec'])['replicas']),
    };
  },
  lower(object, read) {
    const { selector, minReadySeconds, progressDeadlineSeconds } = read;
    const { replicas, revisionHistoryLimit } = objectOf(object['spec']);
    return {
      metadata: plainMetadata(object),
      spec: plainFields({
        replicas: numberOf(replicas),
        selector: selector as JsonObject,
        minReadySeconds: minReadySeconds === 0 ? undefined : minReadySeconds,
        progressDeadlineSeconds: progressDeadlineSeconds ?? NO_DEADLINE,
        revisionHistoryLimit,
        strategy: { type: 'RollingUpdate', rollingUpdate: limitsOf(read) },
        template: orderedTemplate({ ...read, template: plainTemplateAlways(read.template) }),
      }),
    };
  },
});

/** A Deployment rounds maxUnavailable down always, so that a number stands for a percentage that is rounded up. */
function limitsOf(read: Read): JsonObject {
  const { maxUnavailable, maxSurge, lasting } = read;
  if (lasting === undefined) return { maxUnavailable, maxSurge };
  const isPlain = [maxUnavailable, maxSurge].every(
    (each) => typeof each === 'number' || WHOLE_PERCENT.test(each),
  );
  if (isPlain && !isZeroLimit(maxSurge)) return { maxUnavailable, maxSurge };
  const surge = scaleIntOrPercent(maxSurge, lasting, 'up');
  const least = surge === 0 ? 1 : 0;
  return {
    maxUnavailable: Math.max(mostUnavailable(read, { replicas: lasting, paused: false }), least),
    maxSurge: surge,
  };
}

/** Whether a text or key in a value has one of these: also within a path as of `fieldRef`. */
function namesAny(value: Json, texts: readonly string[]): boolean {
  const all = JSON.stringify(value);
  return texts.some((text) => all.includes(text));
}
