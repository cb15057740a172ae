import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { selectorPredicate } from '../values/selector.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether a workload selects pods with these labels: it lets go of a pod that it does not select. Without a selector it selects all. */
export function selectedBy({ spec }: KubeObject): (labels: Labels) => boolean {
  const { selector } = objectOf(spec);
  return isObject(selector) ? selectorPredicate(selector) : () => true;
}
