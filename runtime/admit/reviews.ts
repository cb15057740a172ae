import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { NewPodRules, PodReviewRules } from '../../semantics/kinds/admission.ts';
import {
  admissionOptions,
  admittingOnlyBy,
  creatingKinds,
  reviewingKinds,
  type RulesOf,
  stampingKinds,
} from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import { kinds as registered } from '../../semantics/registry/registry.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { answerTo } from './answer.ts';
import { creationPath, disruptionPath, NEW_PODS_PATH, stampPath } from './configuration.ts';
import { createdByKind } from './creation.ts';
import { ANSWER_MS, within } from './deadline.ts';
import { reviewDisruption, type DisruptionResult } from './disruption.ts';
import type { Read } from './controllers-above.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { type AdmissionSources, type NewPodRequest, reviewChangedPod, reviewPod } from './review.ts';
import type { Review } from './serve.ts';
import type { AdmissionCaches } from './sources.ts';
import { reviewStamped } from './stamp.ts';

export const NEW_POD_RESULTS = ['unchanged', 'injected', 'refused'] as const;

/** What reviews are answered from, and who learns of their results. */
export interface ReviewOptions {
  kinds: readonly Kind[];
  caches: Pick<AdmissionCaches, 'pending' | 'sources' | 'objects' | 'isEnding'>;
  cluster: Cluster;
  clock: Clock;
  /** A random number in [0, 1). */
  random: () => number;
  /** The user names of the runtime. */
  accounts: readonly string[];
  onReviewed(result: (typeof NEW_POD_RESULTS)[number]): void;
  onWithheld?: NonNullable<AdmissionSources['onWithheld']>;
  onDisruption(kind: string, result: DisruptionResult): void;
  /** A request was let through that could not be judged or recorded; `about` names the object or pod. */
  onUnrecorded(about: string, error: unknown): void;
}

/** The reviews that are served for these kinds, by path. */
export function createReviews(options: ReviewOptions): ReadonlyMap<string, Review> {
  const { kinds, caches, cluster, clock, random } = options;
  const recorders = new Map<Kind, Recorder>();
  /** One for each kind: all that record in its objects wait for each other. */
  function recorderOf(kind: Kind): Recorder {
    const known = recorders.get(kind);
    if (known !== undefined) return known;
    const usable = (object: KubeObject): boolean => unusable(kind, object) === undefined;
    const recorder = createRecorder({ cluster, clock, random, usable });
    recorders.set(kind, recorder);
    return recorder;
  }

  function common(kind: Kind, deadline: number) {
    const { objects, isEnding } = caches;
    const { accounts, onUnrecorded } = options;
    return {
      recorder: recorderOf(kind),
      objects,
      isEnding,
      accounts,
      onUnrecorded,
      now: clock.now(),
      deadline,
    };
  }

  function counted(answered: JsonObject): JsonObject {
    const { allowed, patch } = objectOf(answered['response']);
    options.onReviewed(allowed !== true ? 'refused' : patch === undefined ? 'unchanged' : 'injected');
    return answered;
  }

  function newPod(body: JsonObject): ReturnType<Review> {
    if (caches.pending !== undefined) return undefined;
    const { onWithheld } = options;
    return counted(reviewPod(body, { ...caches.sources(), ...(onWithheld && { onWithheld }) }));
  }

  function creation(creating: RulesOf<NewPodRules>): Review {
    const { kind } = creating;
    return async (body) => {
      const deadline = clock.monotonic() + ANSWER_MS;
      if (caches.pending !== undefined) return undefined;
      const change = async (asked: NewPodRequest): ReturnType<typeof createdByKind> =>
        createdByKind(asked, creating, { ...common(kind, deadline), read: reading(deadline) });
      return counted(await reviewChangedPod(body, change));
    };
  }

  /** Reads objects until the deadline. */
  function reading(deadline: number): Read {
    return async (resource, namespace, name) => {
      try {
        return await within(clock, deadline, cluster.get(resource, { namespace, name }));
      } catch (error) {
        if (isConflictOrNotFound(error)) return undefined;
        throw error;
      }
    };
  }

  function disruption(reviewing: RulesOf<PodReviewRules>): Review {
    const { kind } = reviewing;
    return async (body) => {
      const deadline = clock.monotonic() + ANSWER_MS;
      if (caches.pending !== undefined) return undefined;
      const read = reading(deadline);
      const { answer, result } = await reviewDisruption(body, reviewing, {
        ...common(kind, deadline),
        pod: async (namespace, name) => read(resources.Pod, namespace, name),
      });
      options.onDisruption(kind.id.kind, result);
      return answer;
    };
  }

  /** A configuration may be there that was written for another one of this program, and must not keep pods from being deleted. */
  function switchedOff({ id }: Kind): Review {
    return (body) => {
      options.onDisruption(id.kind, { is: 'unreviewed', reason: 'SwitchedOff' });
      return answerTo(objectOf(body['request']), { allowed: true });
    };
  }

  const off = admissionOptions(registered).flatMap((option) => {
    const all = admittingOnlyBy(registered, option);
    return [
      ...creatingKinds(all).map(({ kind }) => [creationPath(kind), switchedOff(kind)] as const),
      ...reviewingKinds(all).map(({ kind }) => [disruptionPath(kind), switchedOff(kind)] as const),
    ];
  });

  return new Map([
    [NEW_PODS_PATH, newPod] as const,
    ...off,
    ...stampingKinds(kinds).map(
      ({ kind }) => [stampPath(kind), (body: JsonObject) => reviewStamped(body, kind)] as const,
    ),
    ...creatingKinds(kinds).map((each) => [creationPath(each.kind), creation(each)] as const),
    ...reviewingKinds(kinds).map((each) => [disruptionPath(each.kind), disruption(each)] as const),
  ]);
}
