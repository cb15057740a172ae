import type { LabelSelector, LabelSelectorRequirement } from './selector.ts';

/** What the requirements of two selectors leave of one label. */
interface Allowed {
  /** The only values; undefined: any. */
  values: Set<string> | undefined;
  refused: Set<string>;
  mustExist: boolean;
  mustBeAbsent: boolean;
}

/**
 * Whether some labels match both selectors. An absent selector matches everything here, as a namespace selector does. Each key
 * is judged by itself, which is exact: a label has one value, and selectors have no other terms.
 */
export function selectorsOverlap(a: LabelSelector | undefined, b: LabelSelector | undefined): boolean {
  // Of the selectors of a namespace most differ in a label that both require.
  if (areApart(a?.matchLabels, b?.matchLabels)) return false;
  const byKey = new Map<string, Allowed>();
  for (const each of [...requirementsOf(a), ...requirementsOf(b)]) {
    const allowed = byKey.get(each.key) ?? {
      values: undefined,
      refused: new Set(),
      mustExist: false,
      mustBeAbsent: false,
    };
    byKey.set(each.key, allowed);
    narrow(allowed, each);
  }
  return [...byKey.values()].every(isPossible);
}

function areApart(a: LabelSelector['matchLabels'] = {}, b: LabelSelector['matchLabels'] = {}): boolean {
  for (const key in a) if (Object.hasOwn(b, key) && Object.hasOwn(a, key) && a[key] !== b[key]) return true;
  return false;
}

function requirementsOf(selector: LabelSelector | undefined): LabelSelectorRequirement[] {
  const labels = Object.entries(selector?.matchLabels ?? {});
  return [
    ...labels.map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(selector?.matchExpressions ?? []),
  ];
}

function narrow(allowed: Allowed, { operator, values = [] }: LabelSelectorRequirement): void {
  if (operator === 'In') {
    const before = allowed.values;
    allowed.values = new Set(before === undefined ? values : values.filter((each) => before.has(each)));
    allowed.mustExist = true;
  } else if (operator === 'NotIn') for (const each of values) allowed.refused.add(each);
  else if (operator === 'Exists') allowed.mustExist = true;
  else if (operator === 'DoesNotExist') allowed.mustBeAbsent = true;
}

function isPossible({ values, refused, mustExist, mustBeAbsent }: Allowed): boolean {
  if (mustBeAbsent) return !mustExist;
  return values === undefined || [...values].some((each) => !refused.has(each));
}
