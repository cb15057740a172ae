import { type Domain, mayBeginIn } from '../node/domains.ts';
import type { Judged, JudgedNode } from './judged.ts';
import type { Mending } from './mending.ts';
import { stepDomains } from './step-nodes.ts';

interface OnNode {
  node: JudgedNode;
}

/** `others` and `time`: of nodes that are down. */
export type WaitsFor = 'budget' | 'domain' | 'others' | 'time';

/** The nodes whose update begins now, and the first one that waits, with what for; undefined: none does. */
export interface NextNodes<Each extends OnNode> {
  now: readonly Each[];
  later: { of: Each; waitsFor: WaitsFor } | undefined;
}

/** Nodes that are to be updated, in order. */
interface Waiting<Each extends OnNode> {
  /** They need no budget. */
  free: readonly Each[];
  candidates: readonly Each[];
  /** They are down, and begin after all others. */
  last: readonly Each[];
  /** How many candidates may begin. */
  left: number;
  /** How many of the last may. */
  mending: Mending;
}

/**
 * Selects the nodes whose update begins now: those that need no budget, and as many others as it leaves. With `spread` it begins in one
 * failure domain at a time, also where it needs no budget. Those that come last are in no domain.
 *
 * Example: one node of zone a is being updated, five may be at a time, and two of zone a are left. Those two begin. Once zone a is
 * done, five of zone b do.
 *
 * @param busy nodes that are being updated
 */
export function nextNodes<Each extends OnNode>(
  judged: Judged,
  busy: readonly JudgedNode[],
  { free, candidates, last, left, mending }: Waiting<Each>,
): NextNodes<Each> {
  const domains = stepDomains(judged);
  const withLast = (now: Each[], later: NextNodes<Each>['later']): NextNodes<Each> => {
    if (later !== undefined) return { now, later };
    const [of] = last.slice(mending.left);
    const { waitsFor } = mending;
    return { now: [...now, ...last.slice(0, mending.left)], later: of && { of, waitsFor } };
  };
  if (domains === undefined) {
    const [of] = candidates.slice(left);
    const later = of && { of, waitsFor: 'budget' as const };
    return withLast([...free, ...candidates.slice(0, left)], later);
  }
  const begun = new Set(busy);
  const inUse = new Set<Domain>(busy.filter(domains.counts).map(domains.of));
  const now: Each[] = [];
  let later: NextNodes<Each>['later'];
  let room = left;
  const begin = (each: Each, needsBudget: boolean): void => {
    const domain = domains.of(each.node);
    // What has begun goes on: its pod may be out of traffic.
    const mayBegin = begun.has(each.node) || mayBeginIn(inUse, domain);
    if (!mayBegin || (needsBudget && room === 0)) {
      later ??= { of: each, waitsFor: mayBegin ? 'budget' : 'domain' };
      return;
    }
    inUse.add(domain);
    if (needsBudget) room -= 1;
    now.push(each);
  };
  for (const each of free) begin(each, false);
  for (const each of candidates) begin(each, true);
  return withLast(now, later);
}
