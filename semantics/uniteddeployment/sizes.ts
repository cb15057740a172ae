import type { InvalidField } from '../fields/problems.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { sizeOf } from './allocate.ts';
import type { NormalUnited, Subset } from './normalize.ts';

type SizeField = 'replicas' | 'min' | 'max';

const NAMES: Readonly<Record<SizeField, string>> = {
  replicas: 'replicas',
  min: 'minReplicas',
  max: 'maxReplicas',
};
const FIELDS = Object.keys(NAMES) as SizeField[];

/** Errors in how many pods subsets ask for, one by one and together (OpenKruise uniteddeployment, sections 2 and 7). */
export function sizeFaults(
  { subsets, adaptive, field, replicas }: NormalUnited,
  at: readonly string[],
): InvalidField[] {
  const pathOf = (index: number, each: SizeField): string[] => [...at, String(index), NAMES[each]];
  const found: InvalidField[] = [];
  const add = (path: string[], rule: string): void => void found.push({ path, rule });
  const first = (each: SizeField): number => subsets.findIndex((subset) => subset[each] !== undefined);
  for (const [index, subset] of subsets.entries())
    for (const each of FIELDS)
      if (isWrong(subset[each]))
        add(pathOf(index, each), 'must be a count, or a whole percentage up to 100%');
  const [fixed, least, most] = FIELDS.map(first) as [number, number, number];
  if (fixed >= 0 && adaptive !== undefined)
    add(pathOf(fixed, 'replicas'), 'must not be set with the type Adaptive, which chooses the number');
  if (fixed >= 0 && (least >= 0 || most >= 0))
    add(pathOf(fixed, 'replicas'), 'must not be set where a subset has minReplicas or maxReplicas');
  if (subsets.length > 0 && subsets.every(({ max }) => max !== undefined))
    add(
      pathOf(subsets.length - 1, 'max'),
      'must not be set for every subset: one must take what the others do not',
    );
  if (found.length > 0) return found;
  for (const [index, { min, max }] of subsets.entries())
    if (min !== undefined && max !== undefined && sizeOf(min, replicas) > sizeOf(max, replicas))
      add(pathOf(index, 'min'), 'must not be more than maxReplicas');
  if (
    adaptive?.reserves === true &&
    (field === 'statefulSetTemplate' || field === 'advancedStatefulSetTemplate')
  )
    found.push({
      path: ['spec', 'topology', 'scheduleStrategy', 'adaptive', 'reserveUnschedulablePods'],
      rule: 'must not be set with children that are StatefulSets',
    });
  return found;
}

function isWrong(value: Subset[SizeField]): boolean {
  return value !== undefined && !isSize(value);
}

function isSize(value: IntOrPercent): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0;
  return /^(?:100|[0-9]{1,2})%$/.test(value);
}
