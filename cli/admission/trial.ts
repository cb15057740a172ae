import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isForbidden } from '../../runtime/problem.ts';
import type { NewPodRules } from '../../semantics/kinds/admission.ts';
import { creatingKinds, type RulesOf } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import { cutForeign } from '../../semantics/values/text.ts';
import type { Refusal } from '../command/refusal.ts';
import { CHECK_NAME, isOfWebhook } from './probe.ts';

/** How many pods of one kind are sent at most: one for each object, the first by name. */
const MOST_PODS = 20;

/**
 * Sends pods as dry runs that the objects of these kinds change as they are created, and looks whether they are changed.
 *
 * @param namespace where the pods would be created
 * @returns what was found, as clauses; or which pod was not changed
 */
export async function triedPods(
  cluster: Cluster,
  kinds: readonly Kind[],
  namespace: string,
): Promise<string[] | Refusal> {
  const found: string[] = [];
  for (const each of creatingKinds(kinds)) {
    const result = await triedOf(cluster, each, namespace);
    if (typeof result !== 'string') return result;
    found.push(result);
  }
  return found;
}

async function triedOf(
  cluster: Cluster,
  { kind, rules: { trial } }: RulesOf<NewPodRules>,
  namespace: string,
): Promise<string | Refusal> {
  const { does, podFor, isChanged } = trial;
  let objects: readonly KubeObject[];
  try {
    ({ items: objects } = await cluster.list(kind.resource, { namespace }));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return `whether it ${does} pods is not known, without the right to list ${kind.resource.plural}`;
  }
  const pods = objects
    .filter(
      (object) => object.metadata.deletionTimestamp === undefined && unusable(kind, object) === undefined,
    )
    .flatMap((object) => {
      const pod = podFor(object, CHECK_NAME);
      return pod === undefined ? [] : [{ name: object.metadata.name, pod }];
    })
    .slice(0, MOST_PODS);
  for (const { name, pod } of pods) {
    const about = `a pod of ${kind.id.kind} ${namespace}/${name}`;
    const answered = await created(cluster, pod);
    if (typeof answered === 'string') return { problem: `${about} is refused: ${answered}`, help: HELP };
    if (!isChanged(answered))
      return {
        problem: `the webhook does not answer where it ${does} pods: ${about} stays as it is`,
        help: HELP,
      };
  }
  const [first] = pods;
  if (first === undefined)
    return `whether it ${does} pods is not known: no ${kind.id.kind} in ${namespace} is for it`;
  return `it ${does} a pod of ${kind.id.kind} ${first.name}${pods.length > 1 ? ` and of ${pods.length - 1} more` : ''}`;
}

const HELP =
  'look at the pods and logs of kruise-admission in kruise-system, and at its role and its options';

/** The pod as it would be created; a text: why a webhook refuses it. */
async function created(cluster: Cluster, pod: KubeObject): Promise<KubeObject | string> {
  try {
    return await cluster.create(resources.Pod, pod, { dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiError) || !isOfWebhook(error)) throw error;
    return cutForeign(error.status.message);
  }
}
