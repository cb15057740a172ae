import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { podInjectors } from '../../semantics/kinds/pod-injectors.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import type { Refusal } from '../command/refusal.ts';

const NAME = 'kruise-admission-check';

/**
 * Sends a pod that a set selects as a dry run, and compares its containers with those that the set gives it.
 *
 * @param namespace where the pod would be created
 * @param system where the revisions of sets are
 * @returns what was found, as a sentence; or why it proves nothing or the webhook does not answer
 */
export async function probed(
  { cluster, now }: ClusterAccess,
  { namespace, system }: { namespace: string; system: string },
): Promise<string | Refusal> {
  const { metadata } = await cluster.get(resources.Namespace, { name: namespace });
  for (const injector of podInjectors) {
    const { items: sets } = await cluster.list(injector.resource);
    const { items: revisions } = await cluster.list(resources.ControllerRevision, { namespace: system });
    for (const set of sets) {
      const pod = podFor(set, namespace);
      const wanted = injectedNames(injector, pod, {
        sets,
        revisions,
        labels: metadata.labels ?? {},
        now: now(),
      });
      if (wanted === undefined) continue;
      const answered = await cluster.create(resources.Pod, pod, { dryRun: true });
      const missing = wanted.filter((name) => !namesOf(answered).includes(name));
      if (missing.length === 0)
        return `the webhook answers: a pod in ${namespace} gets ${wanted.join(', ')} of ${set.metadata.name}`;
      return {
        problem: `the webhook does not answer: a pod in ${namespace} lacks ${missing.join(', ')} of ${set.metadata.name}`,
        help: 'look at the pods and logs of kruise-admission in kruise-system, and install the authority again',
      };
    }
  }
  return {
    problem: `nothing can be checked: no set adds a container to a pod in ${namespace}`,
    help: 'name another namespace with --namespace, or create a set first',
  };
}

/** A pod with the labels that a set asks for. */
function podFor(set: KubeObject, namespace: string): KubeObject {
  const labels = objectOf(objectOf(objectOf(set['spec'])['selector'])['matchLabels']);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, namespace, labels: labels as Record<string, string> },
    spec: { containers: [{ name: 'main', image: 'none.invalid/none:1' }] },
  };
}

/** The containers that the sets give to a pod; undefined: none. */
function injectedNames(
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
): string[] | undefined {
  const result = injector.inject({
    pod,
    namespace: { name: pod.metadata.namespace ?? '', labels },
    sets,
    revisions,
    published: injector.published(sets, revisions, pod, NAME),
    requestId: NAME,
    now,
    sortsContainers: false,
  });
  if ('refused' in result) return undefined;
  const names = namesOf(result.pod).filter((name) => name !== 'main');
  return names.length === 0 ? undefined : names;
}

function namesOf({ spec }: KubeObject): string[] {
  const { containers, initContainers } = objectOf(spec);
  return [...listOf(containers), ...listOf(initContainers)].map(({ name }) => textOf(name));
}
