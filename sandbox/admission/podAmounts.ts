import type { Amount } from '../kinds/amount.ts';
import { isFinished, isSidecar, type Container, type ContainerStatus, type Pod } from '../kinds/pod.ts';
import { isFields, type Fields } from '../store/value.ts';
import { addTo, amountsOf, maxAmounts, oneUnit, type Amounts } from './amounts.ts';

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
  for (const container of spec.containers) addTo(sum, of(container));
  for (const container of spec.initContainers ?? []) {
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

/** Pods that have terminated, or whose grace period is over, use no resources. */
function needsNothing(pod: Pod, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (isFinished(pod)) return true;
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds !== undefined &&
    now > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
  );
}

const measured = ['cpu', 'memory', 'ephemeral-storage'];

/** Whether a name is an extended resource: it has a domain other than kubernetes.io. */
function isExtended(name: string): boolean {
  return name.includes('/') && !/(?:^|\.)kubernetes\.io\//.test(name) && !name.startsWith('requests.');
}

/** The quota usage of these requests and limits, by quota resource name. */
export function countedAs(requests: Amounts, limits: Amounts): Map<string, Amount> {
  const counted = new Map<string, Amount>([['pods', oneUnit]]);
  for (const [name, amount] of requests) {
    if (measured.includes(name) || name.startsWith('hugepages-')) counted.set(name, amount);
    if (measured.includes(name) || name.startsWith('hugepages-') || isExtended(name))
      counted.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (measured.includes(name)) counted.set(`limits.${name}`, amount);
  return counted;
}

/** The quota usage of a pod at this time (milliseconds since 1970 UTC). */
export function podUsage(pod: Pod, now: number): Map<string, Amount> {
  const usage = new Map<string, Amount>([['count/pods', oneUnit]]);
  if (!needsNothing(pod, now))
    for (const [name, amount] of countedAs(podAmounts(pod, 'requests'), podAmounts(pod, 'limits')))
      usage.set(name, amount);
  return usage;
}

const perPod = [
  'pods',
  ...['', 'requests.', 'limits.'].flatMap((list) => measured.map((each) => list + each)),
];

/** Whether a quota resource applies to pods. */
export function isPodResource(name: string): boolean {
  return (
    name === 'count/pods' ||
    perPod.includes(name) ||
    /^(?:requests\.)?hugepages-/.test(name) ||
    (name.startsWith('requests.') && isExtended(name.slice('requests.'.length)))
  );
}

const explicit = ['', 'requests.', 'limits.'].flatMap((list) => ['cpu', 'memory'].map((each) => list + each));

/** The quota resources that some container sets neither a request nor a limit for. */
export function missingResources({ spec }: Pod, names: readonly string[]): string | undefined {
  const own = spec['resources'];
  const ofPod: Fields = isFields(own) ? own : {};
  if (['requests', 'limits'].some((list) => amountsOf(ofPod[list]).size > 0)) return undefined;
  const missing = new Map<string, Set<string>>();
  for (const { name, resources } of [...spec.containers, ...(spec.initContainers ?? [])]) {
    const podLevel = countedAs(amountsOf(resources?.requests), amountsOf(resources?.limits));
    for (const each of names)
      if (explicit.includes(each) && !podLevel.has(each))
        missing.set(each, (missing.get(each) ?? new Set()).add(name));
  }
  if (missing.size === 0) return undefined;
  const told = [...missing.keys()]
    .sort()
    .map((each) => `${each} for: ${[...(missing.get(each) ?? [])].sort().join(',')}`);
  return `must specify ${told.join('; ')}`;
}
