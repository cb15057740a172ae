import type { Amount } from '../../schemas/pods/amount.ts';
import { isFinished, type Pod } from '../../schemas/pods/pod.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { amountsOf, oneUnit, type Amounts } from '../../schemas/pods/amounts.ts';
import { podAmounts } from '../../schemas/pods/podAmounts.ts';

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
