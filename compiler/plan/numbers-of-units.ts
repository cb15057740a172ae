import type { Change } from './change.ts';

/** The numbers of units that stand for any, where how many there are is not in git. */
export const EXAMPLE_NUMBERS: readonly number[] = [10, 100, 1000];

/**
 * The number of units of a change; more than one where it is not in git.
 *
 * @param nodes how many nodes kruise.yaml assumes; undefined: it does not say
 */
export function numbersOfUnits(
  { head, type, assumedUnits }: Pick<Change, 'head' | 'type' | 'assumedUnits'>,
  nodes: number | undefined,
): readonly number[] {
  if (head === undefined) return [];
  if (head.normal.run !== undefined) return nodes === undefined ? EXAMPLE_NUMBERS : [nodes];
  return type.git.selectsPods === true && assumedUnits === undefined
    ? EXAMPLE_NUMBERS
    : [head.normal.replicas];
}
