import { compareDomains, type Domain, mayBeginIn } from '../node/domains.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';

/** A parallelism that limits nothing: OpenKruise's default. */
export const UNLIMITED = 2147483647;

/** A node of a run, and the failure domain it is in. */
export interface RunNode {
  name: string;
  domain: Domain;
}

/** A wave of a run at one time. */
export interface Wave {
  /** Nodes that the run may be started on, in their order (`startOrder`): they fit, have no pod, and have not finished. */
  waiting: readonly RunNode[];
  /** Nodes with an active pod. */
  active: readonly RunNode[];
  /** How many nodes the run was ever started on, whether they still exist or not. */
  started: number;
  /** Whether it was started on a node. Where its pod is lost it may start again, as the step allowed it already. */
  wasStarted(node: string): boolean;
  /** On how many nodes it may have been started so far. */
  allowed: number;
  /** How many pods may be active: the lower of those of plan and job. */
  parallelism: number;
  /** At most one failure domain has active pods. */
  isSpread: boolean;
}

/** The order in which nodes are started: by failure domain, then by name. Nodes without a domain come last. */
export function startOrder(nodes: readonly RunNode[]): RunNode[] {
  return [...nodes].sort((a, b) => compareDomains(a.domain, b.domain) || compareCodePoints(a.name, b.name));
}

/**
 * The nodes to start now. A wave is an upper bound: in no order of events has the run been started on more nodes than
 * allowed, are more pods active than parallelism allows, or are they in more than one failure domain. Nodes without a domain
 * are one together.
 */
export function startsOf({
  waiting,
  active,
  started,
  wasStarted,
  allowed,
  parallelism,
  isSpread,
}: Wave): string[] {
  const starts: string[] = [];
  const domains = new Set(active.map(({ domain }) => domain));
  let room = Math.max(parallelism - active.length, 0);
  let left = Math.max(allowed - started, 0);
  for (const { name, domain } of waiting) {
    if (room === 0) break;
    if (isSpread && !mayBeginIn(domains, domain)) continue;
    if (!wasStarted(name)) {
      if (left === 0) continue;
      left -= 1;
    }
    room -= 1;
    domains.add(domain);
    starts.push(name);
  }
  return starts;
}

/**
 * How many units may run at a time: the lower of what the target and a step of its plan allow. Percentages are of the units
 * that the run is for, rounded up.
 */
export function parallelismOf(target: IntOrPercent, step: IntOrPercent | undefined, units: number): number {
  return Math.min(...[target, step ?? target].map((each) => scaleIntOrPercent(each, units, 'up')));
}
