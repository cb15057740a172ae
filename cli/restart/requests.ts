import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { requestFacts } from '../../semantics/containerrecreaterequest/facts.ts';
import { normalizeRequest } from '../../semantics/containerrecreaterequest/normalize.ts';
import { phaseOf } from '../../semantics/containerrecreaterequest/queue.ts';
import { POD_UID_LABEL } from '../../semantics/containerrecreaterequest/resource.ts';
import { generatedName } from '../../semantics/values/name-suffix.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import type { PodToRestart } from './pods.ts';

/** The label of the requests of one run of the command: when it began. */
const RUN_LABEL = 'plan.kruise.io/restart';
/** Seconds for which a request stays after its end. */
const KEPT = 3600;
/** The most characters of the name of its pod in that of a request. */
const LONGEST_POD = 50;

/** The requests of one run: of the same time there is one for a pod, so that a run that is resumed asks for no second restart. */
export interface Requests {
  /**
   * Creates the requests that do not exist yet, until it is stopped. What the run has asked of a pod before counts, if it is about these
   * containers and has not failed: others of that request may have restarted since.
   */
  create(pods: readonly PodToRestart[], isStopped: () => boolean): Promise<void>;
  /** Those of the run, by name. */
  list(): Promise<ReadonlyMap<string, KubeObject>>;
  /** The name of the request for the containers of a pod. */
  nameFor(pod: PodToRestart): string;
}

export function requestsOf(
  { cluster }: Pick<ClusterAccess, 'cluster'>,
  namespace: string,
  since: number,
): Requests {
  const run = timestamp(since).replaceAll(':', '-');
  /** Names of requests that were there before, by the uid of their pod. */
  const earlier = new Map<string | undefined, string>();
  const nameFor = ({ pod: { metadata }, containers }: PodToRestart): string =>
    earlier.get(metadata.uid) ??
    generatedName(
      `${metadata.name.slice(0, LONGEST_POD)}-`,
      JSON.stringify([metadata.name, metadata.uid ?? '', run, containers]),
    );

  async function list(): Promise<ReadonlyMap<string, KubeObject>> {
    const labelSelector = `${RUN_LABEL}=${run}`;
    const { items } = await cluster.list(resources.ContainerRecreateRequest, { namespace, labelSelector });
    return new Map(items.map((each) => [each.metadata.name, each]));
  }

  return {
    nameFor,
    async create(pods, isStopped) {
      const known = [...(await list()).values()];
      for (const each of pods) {
        if (isStopped()) return;
        const before = known.find((request) => covers(request, each));
        if (before !== undefined) {
          earlier.set(each.pod.metadata.uid, before.metadata.name);
          continue;
        }
        const request = requestFor(each, { name: nameFor(each), namespace, run });
        try {
          await cluster.create(resources.ContainerRecreateRequest, request, { fieldManager: 'kruise' });
        } catch (error) {
          if (!(error instanceof ApiError && error.status.reason === 'AlreadyExists')) throw error;
        }
      }
    },
    list,
  };
}

/** Whether a request restarts these containers of the pod, or has. */
function covers(request: KubeObject, { pod: { metadata }, containers }: PodToRestart): boolean {
  const { podName, containers: asked } = normalizeRequest(request);
  const uid = request.metadata.labels?.[POD_UID_LABEL] ?? metadata.uid;
  return (
    podName === metadata.name &&
    uid === metadata.uid &&
    containers.every((name) => asked.includes(name)) &&
    requestFacts.status.outcome(request) !== 'failed'
  );
}

function requestFor(
  { pod, containers }: PodToRestart,
  { name, namespace, run }: { name: string; namespace: string; run: string },
): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ContainerRecreateRequest',
    metadata: { name, namespace, labels: { [RUN_LABEL]: run } },
    spec: {
      podName: pod.metadata.name,
      containers: containers.map((each) => ({ name: each })),
      ttlSecondsAfterFinished: KEPT,
    },
  };
}

/** What became of a request; `underway`: nothing yet, with what it waits for if that is known. */
export type RequestEnd = { is: 'done' } | { is: 'failed' | 'underway'; why: string | undefined };

export function endOf(request: KubeObject | undefined): RequestEnd {
  if (request === undefined) return { is: 'failed', why: 'its request was deleted' };
  const { status } = requestFacts;
  const is = status.outcome(request);
  const [problem] = status.problems(request);
  return is === 'done' ? { is } : { is, why: problem?.message };
}

/** Whether a runtime has looked at a request. */
export function isTakenUp(request: KubeObject | undefined): boolean {
  return request !== undefined && phaseOf(request) !== '';
}
