import { addTo, amountsOf, maxAmounts, type Amounts } from './amounts.ts';
import type { Amount } from './amount.ts';
import { isFields } from './fields.ts';
import { isSidecar, type Container, type ContainerStatus, type Pod } from './pod.ts';

type List = 'requests' | 'limits';

/**
 * The requests of a container, or its allocated resources where they are larger: a container keeps its old
 * resources until a decrease is actuated.
 */
function ofContainer(
  { resources }: Container,
  status: ContainerStatus | undefined,
  list: List,
  refused: boolean,
): Amounts {
  const asked = amountsOf(resources?.[list]);
  if (!isFields(status?.resources)) return asked;
  const actual = amountsOf(status.resources[list]);
  const has = list === 'requests' ? maxAmounts(actual, amountsOf(status.allocatedResources)) : actual;
  return refused ? has : maxAmounts(asked, has);
}

/** The containers of a list; a template of a custom resource may hold anything in their place. */
function containersIn(list: unknown): Container[] {
  return Array.isArray(list) ? list.filter((each): each is Container => isFields(each)) : [];
}

/**
 * The requests or limits of a pod: the sum of its containers and sidecars, or the largest requirement of an init
 * container together with the sidecars before it, whichever is larger. Pod-level resources take precedence.
 */
export function podAmounts(pod: Pod, list: List): Map<string, Amount> {
  const { spec, status } = pod;
  const known = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const refused = (status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const of = (container: Container) =>
    ofContainer(
      container,
      known.find(({ name }) => name === container.name),
      list,
      refused,
    );
  const sum = new Map<string, Amount>();
  const sidecars = new Map<string, Amount>();
  let peak: Amounts = sidecars;
  for (const container of containersIn(spec.containers)) addTo(sum, of(container));
  for (const container of containersIn(spec.initContainers)) {
    const withSidecars = new Map(sidecars);
    addTo(withSidecars, of(container));
    peak = maxAmounts(peak, withSidecars);
    if (!isSidecar(container)) continue;
    addTo(sum, of(container));
    addTo(sidecars, of(container));
  }
  const total = maxAmounts(sum, peak);
  const own = isFields(spec['resources']) ? amountsOf(spec['resources'][list]) : new Map<string, Amount>();
  for (const [name, amount] of own) total.set(name, amount);
  const overhead = amountsOf(spec.overhead);
  for (const [name, amount] of overhead)
    if (list === 'requests' || total.has(name)) addTo(total, new Map([[name, amount]]));
  return total;
}
