import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { barrierPriorities } from '../../semantics/pod/launching.ts';
import { LAUNCH_PRIORITY_ANNOTATION, ORDERED } from '../../semantics/pod/launch-priority.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { listed } from '../../semantics/values/listed.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { exemptNamespaces } from '../../semantics/values/system-namespaces.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import type { Refusal } from '../command/refusal.ts';

const NAME = 'kruise-admission-check';
const IMAGE = 'none.invalid/none:1';
const HELP =
  'look at the pods and logs of kruise-admission in kruise-system, and install the authority again';

/**
 * Sends a pod that a set selects as a dry run, and compares its containers with those that the sets give it. Where no set adds
 * any, the pod asks for an order of its containers instead.
 *
 * @param namespace where the pod would be created
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
  for (const injector of podInjectors) {
    const { items: sets } = await cluster.list(injector.resource);
    const { items: revisions } = await cluster.list(resources.ControllerRevision, { namespace: system });
    for (const set of sets) {
      const pod = podFor(set, namespace);
      const wanted = injectedInto(injector, pod, {
        sets,
        revisions,
        labels: metadata.labels ?? {},
        now: now(),
      });
      if (wanted === undefined) continue;
      const answered = await cluster.create(resources.Pod, pod, { dryRun: true });
      const missing = wanted.containers.filter((name) => !namesOf(answered).includes(name));
      const [got, of] = [missing.length === 0 ? wanted.containers : missing, wanted.sets].map((each) =>
        listed(each, 'and'),
      );
      if (missing.length === 0) return `the webhook answers: a pod in ${namespace} gets ${got} of ${of}`;
      return {
        problem: `the webhook does not answer: a pod in ${namespace} lacks ${got} of ${of}`,
        help: HELP,
      };
    }
  }
  const ordered = await cluster.create(resources.Pod, orderedPod(namespace), { dryRun: true });
  const none = 'no set adds a container to it';
  if (barrierPriorities(ordered as Pod).size > 0)
    return `the webhook answers: the containers of a pod in ${namespace} start in their order, and ${none}`;
  return {
    problem: `the webhook does not answer: the containers of a pod in ${namespace} have no order, and ${none}`,
    help: HELP,
  };
}

/** A pod with the labels that a set asks for. */
function podFor(set: KubeObject, namespace: string): KubeObject {
  const labels = objectOf(objectOf(objectOf(set['spec'])['selector'])['matchLabels']);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, namespace, labels: labels as Record<string, string> },
    spec: { containers: [{ name: 'main', image: IMAGE }] },
  };
}

/** A pod whose containers start by their position. */
function orderedPod(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, namespace, annotations: { [LAUNCH_PRIORITY_ANNOTATION]: ORDERED } },
    spec: { containers: ['first', 'second'].map((name) => ({ name, image: IMAGE })) },
  };
}

/** What the sets give to a pod; undefined: no container. */
function injectedInto(
  injector: PodInjector,
  pod: KubeObject,
  {
    sets,
    revisions,
    labels,
    now,
  }: {
    sets: readonly KubeObject[];
    revisions: readonly KubeObject[];
    labels: Record<string, string>;
    now: number;
  },
): { containers: string[]; sets: string[] } | undefined {
  const result = injector.inject({
    pod,
    namespace: { name: pod.metadata.namespace ?? '', labels },
    sets,
    revisions,
    published: injector.published(sets, revisions, pod, NAME, () => true),
    requestId: NAME,
    now,
    sortsContainers: false,
  });
  if ('refused' in result) return undefined;
  const containers = namesOf(result.pod).filter((name) => name !== 'main');
  return containers.length === 0 ? undefined : { containers, sets: result.injected.map((each) => each.set) };
}

function namesOf({ spec }: KubeObject): string[] {
  const { containers, initContainers } = objectOf(spec);
  return [...listOf(containers), ...listOf(initContainers)].map(({ name }) => textOf(name));
}
