import { rolloutSize } from '../../semantics/kinds/git-units.ts';
import type { Change } from './change.ts';

/** The numbers of units that stand for any, where how many there are is not in git. */
export const EXAMPLE_NUMBERS: readonly number[] = [10, 100, 1000];

/**
 * The number of units of a change; examples where it is not in git; none for times, which nothing limits.
 *
 * @param nodes how many nodes kruise.yaml assumes; undefined: it does not say
 */
export function numbersOfUnits({ head }: Pick<Change, 'head'>, nodes: number | undefined): readonly number[] {
  const units = head?.normal.units;
  switch (units?.of) {
    case undefined:
    case 'ticks':
      return [];
    case 'replicas':
      return [units.n];
    case 'subsets':
      return [rolloutSize(units) ?? 0];
    case 'nodes':
    case 'selected':
      return units.shown === undefined ? EXAMPLE_NUMBERS : [units.shown];
    case 'run':
      return nodes === undefined ? EXAMPLE_NUMBERS : [nodes];
  }
}
