import type { JsonObject } from '../../schemas/wire/json.ts';
import { readPattern } from '../values/pattern.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '../values/quantity.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { amountOf, evaluate, valueOf } from './expression.ts';
import type { ResourcesPolicy } from './normalize.ts';

/** Constants of cores are printed in decimal, those of bytes in binary units, as a quantity of each usually is. */
const FORMATS: Readonly<Record<string, Quantity['format']>> = { cpu: 'DecimalSI', memory: 'BinarySI' };
const ZERO: Quantity = { nanos: 0n, format: 'DecimalSI' };

/**
 * The resources that follow from those of the other containers of a pod (OpenKruise sidecarset, rule 6.6); `refused`: why there
 * are none. A limit is not set if one of the others has none.
 *
 * @param declared the names of all containers that sets inject into the pod
 */
export function resourcesFor(
  policy: ResourcesPolicy,
  pod: JsonObject,
  declared: ReadonlySet<string>,
): { resources: JsonObject } | { refused: string } {
  const read = readPattern(policy.pattern);
  if ('problem' in read) return { refused: `its targetContainersNameRegex is none: ${read.problem}` };
  const targets = [
    ...listOf(pod['initContainers']).filter(({ restartPolicy }) => restartPolicy === 'Always'),
    ...listOf(pod['containers']),
  ].filter(({ name }) => !declared.has(textOf(name)) && read.test(textOf(name)));
  if (targets.length === 0)
    return { refused: `no other container of the pod has a name like ${policy.pattern}` };
  const resources: JsonObject = {};
  for (const list of ['limits', 'requests'] as const) {
    const amounts: JsonObject = {};
    for (const [name, text] of Object.entries(policy[list])) {
      if (text === '') continue;
      const total = aggregate(targets, list, name, policy.mode);
      if (total === undefined) continue;
      const result = evaluate(text, name, valueOf(total));
      if ('problem' in result)
        return { refused: `the expression ${text} of ${list}.${name}: ${result.problem}` };
      amounts[name] = formatQuantity(amountOf(result.value, FORMATS[name] ?? 'DecimalSI'));
    }
    if (Object.keys(amounts).length > 0) resources[list] = amounts;
  }
  return { resources };
}

/** The sum or maximum of an amount; undefined: one of the targets has no such limit. */
function aggregate(
  targets: readonly JsonObject[],
  list: 'limits' | 'requests',
  name: string,
  mode: ResourcesPolicy['mode'],
): Quantity | undefined {
  let total = ZERO;
  for (const target of targets) {
    const written = objectOf(objectOf(target['resources'])[list])[name];
    const amount =
      typeof written === 'string' || typeof written === 'number' ? parseQuantity(written) : undefined;
    if (amount === undefined && list === 'limits') return undefined;
    const found = amount ?? ZERO;
    if (mode === 'sum') total = addQuantities(total, found);
    else if (compareQuantities(found, total) > 0) total = found;
  }
  return total;
}
