import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Admission, Creation, NamedObject, NewPod, NewPodRules } from '../kinds/admission.ts';
import { isGatedBy } from '../pod/gated.ts';
import { type Pod, SHORT_HASH_LABEL } from '../pod/types.ts';
import { byAge } from '../values/by-age.ts';
import { textOf } from '../values/read.ts';
import { timestamp } from '../values/timestamp.ts';
import { chooseSubset } from './choose.ts';
import { changesLabels, inSubset } from './inject.ts';
import { matchedText } from './matched.ts';
import { spreadReview } from './removals.ts';
import { spreadBy } from './members.ts';
import { type NormalSpread, normalizeSpread, type Subset } from './normalize.ts';
import {
  missingIn,
  MOST_RECORDED,
  mostVersions,
  NO_SLOTS,
  recordedSize,
  recordSize,
  type SubsetSlots,
  slotsIn,
  slotsStatus,
  takenOf,
  versionsIn,
} from './slots.ts';
import { ADMITTED, GATE, GATED, isCreatedKind, MATCHED_ANNOTATION } from './resource.ts';
import { closedSubsets } from './schedulable.ts';
import { capOf, workloadSize } from './size.ts';
import { spreadTrial } from './trial.ts';
import { versionOf } from './versions.ts';

const LOOKED_UP = [...GATED, ...ADMITTED];

/** CEL: the controller of a pod, as a list. */
const OWNERS = 'object.metadata.?ownerReferences.orValue([]).filter(each, each.?controller.orValue(false))';

/**
 * Places new pods of workloads that others create pods for (OpenKruise workloadspread, rules 6.1 to 6.3). A place in a subset with a cap is
 * on record in the status before the pod is created: of two webhooks at the same time one meets a conflict, and reads what the other has
 * taken. A place whose pod never comes ends after a while.
 */
const spreadCreation: NewPodRules = {
  of: 'new pods',
  records: true,
  reads: [],
  alsoReads: { among: LOOKED_UP, of: targetOf },
  conditions: [
    {
      name: 'of-a-workload',
      expression: `${OWNERS}.exists(each, !(each.kind == 'DaemonSet' && each.apiVersion.startsWith('apps/')) && each.kind != 'Node')`,
    },
  ],
  create,
  trial: spreadTrial,
};

export const spreadAdmission: Admission = {
  option: 'spreads',
  create: spreadCreation,
  review: spreadReview,
  policy: undefined,
};

/** The workload, where its size or what it selects decides. */
function targetOf({ pod, objects }: Pick<NewPod, 'pod' | 'objects'>): NamedObject | undefined {
  const object = placing(pod, objects);
  if (object === undefined) return undefined;
  const { target, subsets } = normalizeSpread(object);
  const isNeeded = subsets.some(
    ({ cap, patch }) => typeof cap === 'string' || (patch !== undefined && changesLabels(patch)),
  );
  const resource = LOOKED_UP.find(({ group, kind }) => group === target.group && kind === target.kind);
  return isNeeded && resource !== undefined ? { resource, name: target.name } : undefined;
}

const MOST_NAME = 253;
const MOST_HASH = 63;
/** As an API server makes them. Whoever reaches the port may send another one, which becomes a key of the status. */
const REQUEST_ID = /^[-a-zA-Z0-9]{1,64}$/;

/** Nobody has validated the pod yet: neither its name nor its version must make the status large. */
function isBounded({ metadata: { name, labels } }: KubeObject): boolean {
  const hash = labels?.[SHORT_HASH_LABEL] ?? '';
  return (
    textOf(name).length <= MOST_NAME &&
    hash.length <= MOST_HASH &&
    /^[-.a-z0-9]*$/.test(textOf(name)) &&
    /^[-._a-zA-Z0-9]*$/.test(hash)
  );
}

/** The WorkloadSpread that places a pod: the oldest. One that waits with a gate is placed by the runtime. */
function placing(pod: KubeObject, objects: readonly KubeObject[]): KubeObject | undefined {
  const own = objects.filter((object) => {
    const { target, way } = normalizeSpread(object);
    if (isCreatedKind(target) || object.metadata.deletionTimestamp !== undefined) return false;
    return isBounded(pod) && spreadBy(object)(pod) && (way === 'webhook' || !isGatedBy(pod as Pod, [GATE]));
  });
  return own.sort(byAge)[0];
}

function create({ pod: asked, objects, found, requestId, now }: NewPod): Creation {
  const object = placing(asked, objects);
  if (object === undefined) return { is: 'allowed', pod: asked };
  const pod = withoutRoom(object, asked);
  const spread = normalizeSpread(object);
  const version = versionOf(spread, pod);
  const places = slotsIn(object, version);
  const size = workloadSize(found, spread);
  const isNamed = (pod.metadata.name ?? '') !== '';
  const id = isNamed ? pod.metadata.name : requestId;
  if (!isNamed && !REQUEST_ID.test(requestId)) return { is: 'allowed', pod: asked };
  const known = spread.subsets.find(({ name }) => hasPlace(places.get(name), id));
  const counted = new Map(spread.subsets.map(({ name }) => [name, takenOf(places.get(name) ?? NO_SLOTS)]));
  const subset =
    known ??
    chooseSubset(pod.metadata.name ?? '', { spread, size, counted, closed: closedSubsets(object, spread) });
  if (subset === undefined) return { is: 'allowed', pod: withoutGate(pod) };
  const isCounted = subset.cap !== undefined && spread.target.kind !== 'StatefulSet';
  const placed = withoutGate(inSubset(object, subset, found, pod, isCounted && !isNamed ? id : undefined));
  if (known !== undefined || !isCounted) return { is: 'allowed', pod: placed };
  // Nobody counts them, or their versions: one more would never be found.
  const isFull =
    recordedSize(object, 'creatingPods') + recordSize(id) > MOST_RECORDED ||
    (places.size === 0 && versionsIn(object) >= mostVersions(spread));
  if (isFull) return { is: 'allowed', pod: withoutGate(asked) };
  const status = {
    versionedSubsetStatuses: { [version]: withPlace({ spread, places, size }, subset, id, now) },
  };
  return { is: 'recorded', pod: placed, object, status };
}

/** A pod that is created again, by a client that has got no answer, has its place. */
function hasPlace(places: SubsetSlots | undefined, id: string): boolean {
  return places !== undefined && Object.hasOwn(places.creating, id);
}

function withPlace(
  { spread, places, size }: { spread: NormalSpread; places: ReadonlyMap<string, SubsetSlots>; size: number },
  { name: chosen }: Subset,
  id: string,
  now: number,
) {
  return spread.subsets.map((subset) => {
    const { name } = subset;
    const before = places.get(name) ?? NO_SLOTS;
    const after =
      name === chosen ? { ...before, creating: { ...before.creating, [id]: timestamp(now) } } : before;
    return slotsStatus(name, { ...after, missing: missingIn(after, capOf(subset, size)) });
  });
}

/** A pod as it is where no subset has room, which its record says. What its template says about that does not count. */
function withoutRoom(object: KubeObject, pod: KubeObject): KubeObject {
  const annotations = {
    ...pod.metadata.annotations,
    [MATCHED_ANNOTATION]: matchedText(object, '', { by: 'room' }),
  };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** A pod that a webhook has looked at waits for nobody else. */
function withoutGate(pod: KubeObject): KubeObject {
  const spec = (pod as Pod).spec;
  if (!isGatedBy(pod as Pod, [GATE])) return pod;
  const { schedulingGates, ...others } = spec;
  const left = (schedulingGates as { name: string }[]).filter(({ name }) => name !== GATE);
  return { ...pod, spec: { ...others, ...(left.length > 0 && { schedulingGates: left }) } };
}
