import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodOperation, PodRequest, PodReviewRules, Verdict } from '../../semantics/kinds/admission.ts';
import type { RulesOf } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unreviewedFor } from '../../semantics/kinds/unreviewed-requests.ts';
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
  /** No kind was asked. */
  | 'unreviewed'
  /** No object covers the pod, or none counts it. */
  | 'allowed'
  | 'recorded'
  | 'refused';

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
  const disruption = disruptionOf(request);
  if (disruption === undefined || !rules.operations.includes(disruption.operation))
    return allowed('unreviewed');
  const { operation, namespace, isDryRun } = disruption;
  const objects = sources.objects(kind, namespace);
  if (objects.length === 0) return allowed('allowed');
  const isEviction = operation === 'EVICT';
  const refused = (name: string, message: string) => ({
    answer: answerTo(request, {
      allowed: false,
      status: {
        status: 'Failure',
        reason: isEviction ? 'TooManyRequests' : 'Forbidden',
        code: isEviction ? 429 : 403,
        message: `${kind.id.kind} ${name}: ${message}`,
      },
    }),
    result: 'refused' as const,
  });
  const ignores = rules.failurePolicy === 'Ignore';

  let asked: PodRequest | undefined;
  try {
    asked = await requestOf(disruption, sources);
  } catch (error) {
    const about = `pod ${namespace}/${disruption.name}`;
    if (!ignores) return refused(objects[0]?.metadata.name ?? '', `${about} cannot be read; try again`);
    sources.onUnrecorded(about, error);
    return allowed('unreviewed');
  }
  if (asked === undefined) return allowed('unreviewed');
  if (unreviewedFor(infoOf(asked, disruption, sources), sources.accounts) !== undefined)
    return allowed('unreviewed');

  const judge = (object: KubeObject): Verdict => judged(rules, object, asked, sources);
  const verdicts = objects.map((object) => ({ object, verdict: judge(object) }));
  for (const { object, verdict } of verdicts)
    if (verdict.is === 'refused') return refused(object.metadata.name, verdict.message);
  const counting = verdicts.filter(({ verdict }) => verdict.is === 'recorded');
  if (counting.length === 0) return allowed('allowed');
  if (isDryRun) return allowed('allowed');
  if (!isEviction && !(await isStored(asked.pod, sources))) return allowed('unreviewed');

  let result: DisruptionResult = 'allowed';
  for (const { object } of counting) {
    const recorded = await sources.recorder.settle<Verdict>(
      kind.resource,
      (newest) => {
        const present = newest(object);
        const value: Verdict = present === undefined ? { is: 'allowed' } : judge(present);
        if (present === undefined || value.is !== 'recorded') return { value, record: undefined };
        return { value, record: { object: present, status: value.status } };
      },
      sources.deadline,
    );
    const { name } = object.metadata;
    switch (recorded.is) {
      case 'decided':
        if (recorded.value.is === 'refused') return refused(name, recorded.value.message);
        if (recorded.value.is === 'recorded') result = 'recorded';
        break;
      case 'contended':
        return refused(
          name,
          'others write its status at the same time, so that nothing was recorded; try again',
        );
      case 'failed':
        if (!ignores)
          return refused(name, 'its status cannot be written, so that nothing was recorded; try again');
        sources.onUnrecorded(`${kind.id.kind} ${name}`, recorded.error);
    }
  }
  return allowed(result);
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
