import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PatchAction } from '../decision.ts';
import type { Pod } from '../pod/types.ts';
import { covering } from './coverage.ts';
import { normalizeBudget } from './normalize.ts';
import { LINK_ANNOTATIONS } from './resource.ts';

/** The budget that a pod names; undefined: none. */
export function linkedBudget({ metadata }: KubeObject): string | undefined {
  const [first, second] = LINK_ANNOTATIONS;
  return metadata.annotations?.[first] ?? metadata.annotations?.[second];
}

/** The annotations by which a pod names its budget. */
export function linkTo(budget: string): Record<string, string> {
  return Object.fromEntries(LINK_ANNOTATIONS.map((key) => [key, budget]));
}

/**
 * The writes that link pods to their budget: those that name none, and those that name one that is gone or does not cover them
 * (OpenKruise podunavailablebudget, section 10, item 3). A pod of two budgets stays with the first.
 *
 * @param covered active pods of the budget
 * @param others  the budgets that its pods name, as far as they exist
 */
export function linkActions(
  { metadata }: KubeObject,
  covered: readonly Pod[],
  others: readonly KubeObject[],
): PatchAction[] {
  const covers = new Map(
    others.map((each) => [each.metadata.name, covering(normalizeBudget(each).coverage)] as const),
  );
  return covered
    .filter((pod) => {
      const linked = linkedBudget(pod);
      return linked !== metadata.name && covers.get(linked ?? '')?.(pod) !== true;
    })
    .map((pod) => link(pod, metadata.name));
}

/** Executed twice, the write changes nothing: it needs no version of the pod. No rule here reads the link: without it all goes on, but that a policy of the API server does not know the budget. */
function link({ metadata: { name, uid = '' } }: Pod, budget: string): PatchAction {
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'link',
    name,
    body: { metadata: { uid, annotations: linkTo(budget) } },
    reason: `the PodUnavailableBudget ${budget} covers it`,
    isAside: true,
  };
}
