import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { labelValueFaults } from '../../schemas/pods/names.ts';
import { checkNet, netOf } from '../../schemas/pods/address.ts';
import { entriesOf, fieldsOf, items, labelKey, listOf, textOf } from '../../schemas/pods/fieldChecks.ts';
import { checkAmount } from '../../schemas/pods/resourceValidation.ts';
import { checkEffect } from '../../schemas/pods/schedulingValidation.ts';

function checkTaints(taints: unknown, path: string): FieldError[] {
  const seen = new Set<string>();
  return items(taints).flatMap((taint, index) => {
    const at = `${path}[${index}]`;
    const [key, value, effect] = ['key', 'value', 'effect'].map((name) => textOf(taint[name]));
    const faults = labelValueFaults(value ?? '');
    const errors = [
      ...labelKey(`${at}.key`, key),
      ...(faults.length === 0 ? [] : [field.invalid(`${at}.value`, value, faults.join(';'))]),
      ...checkEffect(`${at}.effect`, effect),
    ];
    const kind = `${effect ?? ''} ${key ?? ''}`;
    if (seen.has(kind)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint['timeAdded'] ?? null };
      const error = field.duplicate(at, shown);
      const rule = 'taints must be unique by key and effect pair';
      errors.push({ ...error, message: `${error.message}: ${rule}` });
    }
    seen.add(kind);
    return errors;
  });
}

/** All validation errors of a Node: taints (which the server reports under metadata), capacities and pod CIDRs. */
export function checkNode(object: KubeObject): FieldError[] {
  const { taints, podCIDRs } = fieldsOf(object['spec']);
  const status = fieldsOf(object['status']);
  const nets = listOf(podCIDRs);
  const errors = checkTaints(taints, 'metadata.taints');
  for (const list of ['capacity', 'allocatable'])
    for (const [name, amount] of entriesOf(status[list]))
      errors.push(...checkAmount(`status.${list}.${name}`, name, amount));
  errors.push(...nets.flatMap((net, index) => checkNet(`spec.podCIDRs[${index}]`, net)));
  const families = new Set(nets.map((net) => netOf(net)?.family));
  if (nets.length > 1 && (nets.length > 2 || families.size < 2))
    errors.push(field.invalid('spec.podCIDRs', nets, 'may specify no more than one CIDR for each IP family'));
  return errors;
}
