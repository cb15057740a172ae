import { compareCodePoints } from '../values/canonical-json.ts';

/** The failure domain of a node: the value of a label of it. Undefined: it has no such label; these nodes are one domain together. */
export type Domain = string | undefined;

/** @param labels those of the node */
export function domainOf(labels: Readonly<Record<string, string>> | undefined, key: string): Domain {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** The order in which domains come: by name, that of nodes without the label last. */
export function compareDomains(a: Domain, b: Domain): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareCodePoints(a, b);
}

/**
 * Whether work may begin in a domain, where at most one has any at a time.
 *
 * @param busy the domains in which work is in progress. There may be several: labels change
 */
export function mayBeginIn(busy: ReadonlySet<Domain>, domain: Domain): boolean {
  return busy.size === 0 || (busy.size === 1 && busy.has(domain));
}
