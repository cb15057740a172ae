import type { JsonObject } from '../../schemas/wire/json.ts';
import type { InvalidField } from '../fields/problems.ts';
import { objectsIn } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../values/selector.ts';

/** What OpenKruise's admission refuses in a `priorityStrategy` (OpenKruise inplace-update, section 2); from its parent. */
export function invalidPriorities({ orderPriority, weightPriority }: JsonObject): InvalidField[] {
  const weights = objectsIn(weightPriority);
  const found = weights.flatMap(({ matchSelector }, index): InvalidField[] => {
    const path = ['priorityStrategy', 'weightPriority', String(index), 'matchSelector'];
    const selector: LabelSelector = objectOf(matchSelector);
    const problems = validateSelector(selector);
    if (problems.length === 0 && formatSelector(selector) === '')
      return [{ path, rule: 'must not be empty' }];
    return problems.map((problem) => ({ path: [...path, ...problem.path], rule: problem.message }));
  });
  if (weights.length > 0 && objectsIn(orderPriority).length > 0)
    found.push({ path: ['priorityStrategy'], rule: 'takes orderPriority or weightPriority, not both' });
  return found;
}
