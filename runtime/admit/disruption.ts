import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodOperation, PodRequest, PodReviewRules, Verdict } from '../../semantics/kinds/admission.ts';
import type { RulesOf } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unreviewedFor, type UnreviewedReason } from '../../semantics/kinds/unreviewed-requests.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { numberOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { answerTo } from './answer.ts';
import type { Recorder } from './recorder.ts';

/** What reviews of changes and removals read and write. */
export interface DisruptionSources {
  recorder: Recorder;
  /** The valid objects of a kind that may concern pods of a namespace. */
  objects(kind: Kind, namespace: string): readonly KubeObject[];
  isEnding(namespace: string): boolean;
  /** The pod as it is stored now; undefined: there is none. */
  pod(namespace: string, name: string): Promise<KubeObject | undefined>;
  /** The user names of the runtime. */
  accounts: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
  /** By the monotonic clock, milliseconds. */
  deadline: number;
  /** A request was let through that could not be judged or recorded; `about` names the object or pod. */
  onUnrecorded(about: string, error: unknown): void;
}

export type DisruptionResult =
  /** No object covers the pod, or none counts it. */
  | { is: 'allowed' | 'recorded' | 'refused' }
  /** No rule was asked. */
  | { is: 'unreviewed'; reason: UnreviewedReason | 'OtherRequest' | 'NoPod' | 'Unreadable' | 'SwitchedOff' };

interface Disruption {
  operation: PodOperation;
  namespace: string;
  name: string;
  request: JsonObject;
  isDryRun: boolean;
}

/**
 * Answers the review of a change or the removal of a pod: allowed, allowed after its record was written, or refused by an object
 * that the message names, with 429 for an eviction and 403 for anything else.
 */
export async function reviewDisruption(
  review: JsonObject,
  { kind, rules }: RulesOf<PodReviewRules>,
  sources: DisruptionSources,
): Promise<{ answer: JsonObject; result: DisruptionResult }> {
  const request = objectOf(review['request']);
  const allowed = (result: DisruptionResult) => ({ answer: answerTo(request, { allowed: true }), result });
  const unreviewed = (reason: Extract<DisruptionResult, { is: 'unreviewed' }>['reason']) =>
    allowed({ is: 'unreviewed', reason });
  const disruption = disruptionOf(request);
  if (disruption === undefined || !rules.operations.includes(disruption.operation))
    return unreviewed('OtherRequest');
  const { operation, namespace, isDryRun } = disruption;
  const objects = sources.objects(kind, namespace);
  if (objects.length === 0) return allowed({ is: 'allowed' });
  const isEviction = operation === 'EVICT';
  let asked: PodRequest | undefined;
  try {
    asked = await requestOf(disruption, sources);
  } catch (error) {
    // Nobody knows whether an object covers the pod: as while the webhook is down, it goes.
    sources.onUnrecorded(`pod ${namespace}/${disruption.name}`, error);
    return unreviewed('Unreadable');
  }
  if (asked === undefined) return unreviewed('NoPod');
  const reason = unreviewedFor(infoOf(asked, disruption, sources), sources.accounts);
  if (reason !== undefined) return unreviewed(reason);

  const judge = (object: KubeObject): Verdict => judged(rules, object, asked, sources);
  const refused = ({ object, message }: Refusal) => ({
    answer: answerTo(request, {
      allowed: false,
      status: {
        status: 'Failure',
        reason: isEviction ? 'TooManyRequests' : 'Forbidden',
        code: isEviction ? 429 : 403,
        message: `${kind.id.kind} ${object.metadata.name}: ${message}`,
      },
    }),
    result: { is: 'refused' } as const,
  });
  const counting: KubeObject[] = [];
  for (const object of objects) {
    const verdict = judge(object);
    if (verdict.is === 'refused') return refused({ object, message: verdict.message });
    if (verdict.is === 'recorded') counting.push(object);
  }
  if (counting.length === 0 || isDryRun) return allowed({ is: 'allowed' });
  if (!isEviction && !(await isStored(asked.pod, sources))) return unreviewed('NoPod');
  let isRecorded = false;
  for (const object of counting) {
    const ended = await recordedIn(object, judge, { kind, rules }, sources);
    if (typeof ended === 'object') return refused(ended);
    isRecorded ||= ended === 'recorded';
  }
  return allowed({ is: isRecorded ? 'recorded' : 'allowed' });
}

interface Refusal {
  object: KubeObject;
  message: string;
}

/** Records a request in one object. What earlier ones have on record expires if this one refuses. */
async function recordedIn(
  object: KubeObject,
  judge: (object: KubeObject) => Verdict,
  { kind, rules }: RulesOf<PodReviewRules>,
  { recorder, deadline, onUnrecorded }: DisruptionSources,
): Promise<'recorded' | 'allowed' | Refusal> {
  const recorded = await recorder.settle<Verdict>(
    kind.resource,
    (newest) => {
      const present = newest(object);
      const value: Verdict = present === undefined ? { is: 'allowed' } : judge(present);
      if (present === undefined || value.is !== 'recorded') return { value, record: undefined };
      return { value, record: { object: present, status: value.status } };
    },
    deadline,
  );
  const about = `${kind.id.kind} ${object.metadata.name}`;
  const unable = (why: string): Refusal => ({
    object,
    message: `${why}, so that nothing was recorded; try again`,
  });
  switch (recorded.is) {
    case 'decided':
      return recorded.value.is === 'refused'
        ? { object, message: recorded.value.message }
        : recorded.value.is;
    case 'contended':
      if (rules.failurePolicy === 'Fail') return unable('others write its status at the same time');
      onUnrecorded(about, new Error('others write its status at the same time'));
      return 'allowed';
    case 'failed':
      if (rules.failurePolicy === 'Fail') return unable('its status cannot be written');
      onUnrecorded(about, recorded.error);
      return 'allowed';
  }
}

/** An object that breaks the rules must not stop the others: it covers nothing. */
function judged(
  rules: PodReviewRules,
  object: KubeObject,
  asked: PodRequest,
  { now, onUnrecorded }: DisruptionSources,
): Verdict {
  try {
    return rules.review(object, asked, now);
  } catch (error) {
    onUnrecorded(`${object.kind} ${object.metadata.name}`, error);
    return { is: 'allowed' };
  }
}

/** Undefined: the request is about no pod, or about something else of it. */
function disruptionOf(request: JsonObject): Disruption | undefined {
  const { operation, dryRun } = request;
  const { group, resource } = objectOf(request['resource']);
  const subresource = textOf(request['subResource']);
  if ((group ?? '') !== '' || resource !== 'pods') return undefined;
  const found = OPERATIONS.get(`${textOf(operation)} ${subresource}`);
  if (found === undefined) return undefined;
  const asked = objectOf(objectOf(request['object'])['deleteOptions'])['dryRun'];
  return {
    operation: found,
    namespace: textOf(request['namespace']),
    name: textOf(request['name']),
    request,
    // An Eviction may say so itself.
    isDryRun: dryRun === true || (found === 'EVICT' && Array.isArray(asked) && asked.includes('All')),
  };
}

/** By the operation of a request, and its subresource. */
const OPERATIONS: ReadonlyMap<string, PodOperation> = new Map([
  ['DELETE ', 'DELETE'],
  ['UPDATE ', 'UPDATE'],
  ['UPDATE resize', 'RESIZE'],
  ['CREATE eviction', 'EVICT'],
]);

/** Undefined: there is no such pod. The server answers that itself. Rejects if an evicted pod cannot be read. */
async function requestOf(
  { operation, namespace, name, request }: Disruption,
  { pod: stored }: DisruptionSources,
): Promise<PodRequest | undefined> {
  switch (operation) {
    case 'EVICT': {
      const pod = await stored(namespace, name);
      return pod && { operation, pod };
    }
    case 'DELETE': {
      const pod = podIn(request['oldObject']);
      return pod && { operation, pod };
    }
    case 'UPDATE':
    case 'RESIZE': {
      const [pod, after] = [podIn(request['oldObject']), podIn(request['object'])];
      return pod && after && { operation, pod, after };
    }
  }
}

function podIn(value: unknown): KubeObject | undefined {
  if (!isObject(value)) return undefined;
  return { ...objectOf(value), metadata: objectOf(objectOf(value)['metadata']) } as unknown as KubeObject;
}

function infoOf(
  asked: PodRequest,
  { request, namespace }: Disruption,
  { isEnding }: DisruptionSources,
): Parameters<typeof unreviewedFor>[0] {
  const { username, groups } = objectOf(request['userInfo']);
  return {
    asked,
    user: { name: textOf(username), groups: Array.isArray(groups) ? groups.map(textOf) : [] },
    gracePeriodSeconds: numberOf(objectOf(request['options'])['gracePeriodSeconds']),
    isNamespaceEnding: isEnding(namespace),
  };
}

/**
 * Whether there is a pod of this name and uid: whoever reaches the port must know a pod to take a place for it. Where it cannot be
 * read the pod of the request counts.
 */
async function isStored({ metadata }: KubeObject, sources: DisruptionSources): Promise<boolean> {
  try {
    const found = await sources.pod(metadata.namespace ?? '', metadata.name);
    return found !== undefined && found.metadata.uid === metadata.uid;
  } catch {
    return true;
  }
}
