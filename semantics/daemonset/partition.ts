import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';

/**
 * How many nodes a partition keeps at the old revision (OpenKruise advanced-daemonset, rule 6.4). A percentage rounds down, and a
 * value that is no number keeps none.
 *
 * @param nodes how many nodes are to run
 */
export function partitionCount(partition: IntOrPercent, nodes: number): number {
  return Math.max(scaleIntOrPercent(partition, nodes, 'down'), 0);
}

/**
 * How many pods are created, deleted or updated in place at once. A percentage rounds down, so that `10%` of five nodes is none,
 * and nothing is ever done: the compiler warns about it.
 */
export function burstOf(burstReplicas: IntOrPercent, nodes: number): number {
  return Math.max(scaleIntOrPercent(burstReplicas, nodes, 'down'), 0);
}
