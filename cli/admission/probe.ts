import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { barrierPriorities } from '../../semantics/pod/launching.ts';
import { LAUNCH_PRIORITY_ANNOTATION, ORDERED } from '../../semantics/pod/launch-priority.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { listed } from '../../semantics/values/listed.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { cutForeign } from '../../semantics/values/text.ts';
import { exemptNamespaces } from '../../semantics/values/system-namespaces.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import type { Refusal } from '../command/refusal.ts';

/** The name of every pod that is sent. */
export const CHECK_NAME = 'kruise-admission-check';
const IMAGE = 'none.invalid/none:1';
const HELP =
  'look at the pods and logs of kruise-admission in kruise-system, and install the authority again';
/** How many pods are sent at most: one for each set, the first by name. */
const MOST_PODS = 20;
/** How often what a share of new pods gets is drawn. */
const DRAWS = 100;

/** The sets of a cluster, and what is on record of them. */
interface Sets {
  injector: PodInjector;
  sets: readonly KubeObject[];
  revisions: readonly KubeObject[];
  /** Of the namespace of the pod. */
  labels: Record<string, string>;
  now: number;
}

/** What sets give to a pod. */
interface Given {
  containers: readonly string[];
  sets: readonly string[];
  hashes: readonly string[];
}

/**
 * Sends pods that the sets select as dry runs, and compares what they get with what is on record. Where no set adds a container, a
 * pod asks for an order of its containers instead.
 *
 * @param namespace where the pods would be created
 * @param system where the revisions of sets are
 * @returns what was found, as a sentence; or why it proves nothing or the webhook does not answer
 */
export async function probed(
  { cluster, now }: ClusterAccess,
  { namespace, system }: { namespace: string; system: string },
): Promise<string | Refusal> {
  if (exemptNamespaces([system]).includes(namespace))
    return {
      problem: `nothing can be checked in ${namespace}: no webhook is asked about its pods`,
      help: 'name another namespace with --namespace',
    };
  const { metadata } = await cluster.get(resources.Namespace, { name: namespace });
  const got: Given[] = [];
  for (const injector of podInjectors) {
    const { items: sets } = await cluster.list(injector.resource);
    const { items: revisions } = await cluster.list(resources.ControllerRevision, { namespace: system });
    const elsewhere = recordsElsewhere(injector, sets, revisions, system);
    if (elsewhere !== undefined) return elsewhere;
    const all: Sets = { injector, sets, revisions, labels: metadata.labels ?? {}, now: now() };
    const pods = new Map(sets.map((set) => [JSON.stringify(podFor(set, namespace)), podFor(set, namespace)]));
    for (const pod of pods.values()) {
      const wanted = given(all, pod, CHECK_NAME);
      if (wanted === undefined) continue;
      if (got.length === MOST_PODS) break;
      const problem = await differing(cluster, all, pod, wanted, system);
      if (problem !== undefined) return problem;
      got.push(wanted);
    }
  }
  if (got.length > 0) return `the webhook answers: a pod in ${namespace} gets ${textOfGiven(got)}`;
  const none = 'no set adds a container to it';
  if (await isOrdered(cluster, namespace))
    return `the webhook answers: the containers of a pod in ${namespace} start in their order, and ${none}`;
  return {
    problem: `the webhook does not answer: the containers of a pod in ${namespace} have no order, and ${none}`,
    help: HELP,
  };
}

/** That a set is on record, and not in this namespace; undefined: all are there, or none is. */
function recordsElsewhere(
  { newestOnRecord }: PodInjector,
  sets: readonly KubeObject[],
  revisions: readonly KubeObject[],
  system: string,
): Refusal | undefined {
  const owners = new Set(revisions.map((revision) => controllerOf(revision)?.uid));
  const lost = sets.find((set) => newestOnRecord(set) !== undefined && !owners.has(set.metadata.uid));
  return (
    lost && {
      problem: `the revisions of ${lost.kind} ${lost.metadata.name} are not in the namespace ${system}`,
      help: 'name the one where the runtime keeps them with --system; kruise run --admission needs it as --lease-namespace',
    }
  );
}

/** Sends a pod as a dry run; how what it gets differs from what is on record; undefined: not at all. */
async function differing(
  cluster: Cluster,
  all: Sets,
  pod: KubeObject,
  wanted: Given,
  system: string,
): Promise<Refusal | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  const other = `start it with the --lease-namespace of the runtime: the revisions are in ${system}`;
  let answered: KubeObject;
  try {
    answered = await cluster.create(resources.Pod, pod, { dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiError) || !isOfWebhook(error)) throw error;
    return {
      problem: `the webhook refuses a pod in ${namespace} that would get ${textOfGiven([wanted])}: ${cutForeign(error.status.message)}`,
      help: other,
    };
  }
  const missing = wanted.containers.filter((name) => !namesOf(answered).includes(name));
  if (missing.length > 0) {
    const answers = await isOrdered(cluster, namespace);
    return {
      problem: `the webhook ${answers ? 'answers by other records' : 'does not answer'}: a pod in ${namespace} lacks ${textOfGiven([{ ...wanted, containers: missing }])}`,
      help: answers ? other : HELP,
    };
  }
  const recorded = Object.values(answered.metadata.annotations ?? {}).join(' ');
  const has = ({ hashes }: Given): boolean => hashes.every((hash) => recorded.includes(hash));
  if (has(wanted)) return undefined;
  // Another request may draw another revision, where only a share of new pods gets one.
  const draws = Array.from({ length: DRAWS }, (_, n) => given(all, pod, `${CHECK_NAME}-${n}`));
  if (draws.some((each) => each !== undefined && has(each))) return undefined;
  return {
    problem: `the webhook answers by other records: a pod in ${namespace} gets another revision of ${listed(wanted.sets, 'or')} than is on record`,
    help: other,
  };
}

/** Whether a webhook has refused it, in the words of the API server. */
export function isOfWebhook({ status: { message } }: ApiError): boolean {
  return message.includes('admission webhook "') && message.includes('denied the request');
}

function textOfGiven(all: readonly Given[]): string {
  const [containers, sets] = [all.flatMap((each) => each.containers), all.flatMap((each) => each.sets)].map(
    (each) => listed([...new Set(each)], 'and'),
  );
  return `${containers} of ${sets}`;
}

/** Whether the webhook writes the order into a pod that asks for one. */
async function isOrdered(cluster: Cluster, namespace: string): Promise<boolean> {
  const answered = await cluster.create(resources.Pod, orderedPod(namespace), { dryRun: true });
  return barrierPriorities(answered as Pod).size > 0;
}

/** A pod with the labels that a set asks for. */
function podFor(set: KubeObject, namespace: string): KubeObject {
  const labels = objectOf(objectOf(objectOf(set['spec'])['selector'])['matchLabels']);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: CHECK_NAME, namespace, labels: labels as Record<string, string> },
    spec: { containers: [{ name: 'main', image: IMAGE }] },
  };
}

/** A pod whose containers start by their position. */
function orderedPod(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: CHECK_NAME, namespace, annotations: { [LAUNCH_PRIORITY_ANNOTATION]: ORDERED } },
    spec: { containers: ['first', 'second'].map((name) => ({ name, image: IMAGE })) },
  };
}

/** What the sets give to a pod in a request; undefined: no container. */
function given(
  { injector, sets, revisions, labels, now }: Sets,
  pod: KubeObject,
  requestId: string,
): Given | undefined {
  const result = injector.inject({
    pod,
    namespace: { name: pod.metadata.namespace ?? '', labels },
    sets,
    revisions,
    published: injector.published(sets, revisions, pod, requestId, () => true),
    requestId,
    now,
    sortsContainers: false,
  });
  if ('refused' in result) return undefined;
  const containers = namesOf(result.pod).filter((name) => name !== 'main');
  if (containers.length === 0) return undefined;
  return {
    containers,
    sets: result.injected.map((each) => each.set),
    hashes: result.injected.map((each) => each.hash),
  };
}

function namesOf({ spec }: KubeObject): string[] {
  const { containers, initContainers } = objectOf(spec);
  return [...listOf(containers), ...listOf(initContainers)].map(({ name }) => textOf(name));
}
