import { type LabelSelector, type LabelSelectorRequirement, requirements } from './selector.ts';

/**
 * Whether one selector certainly matches no labels that another one does not: each requirement of the other follows from one of its
 * own. False: it may match more.
 *
 * Example: `app in (web)` is within `app in (web,api)` and within `app`, and none of these is within it.
 */
export function isWithinSelector(one: LabelSelector, other: LabelSelector): boolean {
  const own = requirements(one);
  return requirements(other).every((needed) =>
    own.some((each) => each.key === needed.key && follows(each, needed)),
  );
}

/** Whether labels that meet one requirement always meet another one of the same key. */
function follows(one: LabelSelectorRequirement, other: LabelSelectorRequirement): boolean {
  const [values, wanted] = [one.values ?? [], new Set(other.values)];
  switch (one.operator) {
    case '=':
    case 'In':
      switch (other.operator) {
        case '=':
        case 'In':
          return values.every((value) => wanted.has(value));
        case 'NotIn':
          return values.every((value) => !wanted.has(value));
        default:
          return other.operator === 'Exists';
      }
    case 'NotIn': {
      const excluded = new Set(values);
      return other.operator === 'NotIn' && [...wanted].every((value) => excluded.has(value));
    }
    case 'Exists':
      return other.operator === 'Exists';
    case 'DoesNotExist':
      return other.operator === 'DoesNotExist' || other.operator === 'NotIn';
    default:
      return false;
  }
}
