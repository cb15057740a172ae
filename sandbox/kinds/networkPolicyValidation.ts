import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { checkNet, holdsWithin, netOf } from '../../schemas/pods/address.ts';
import {
  checkLabelSelector,
  fieldsOf,
  isSet,
  isMissing,
  items,
  listOf,
  oneOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { checkPortNumber, portNameFaults } from '../../schemas/pods/ports.ts';

function checkPort({ protocol, port, endPort }: Fields, path: string): FieldError[] {
  const errors = oneOf(`${path}.protocol`, protocol, ['TCP', 'UDP', 'SCTP']);
  const refuse = (value: unknown, why: string) => errors.push(field.invalid(`${path}.endPort`, value, why));
  if (!isSet(port)) {
    if (isSet(endPort)) refuse(endPort, 'may not be specified when `port` is not specified');
    return errors;
  }
  if (typeof port === 'string') {
    if (isSet(endPort)) refuse(endPort, 'may not be specified when `port` is non-numeric');
    return [...errors, ...portNameFaults(port).map((fault) => field.invalid(`${path}.port`, port, fault))];
  }
  errors.push(...checkPortNumber(`${path}.port`, port));
  if (!isSet(endPort)) return errors;
  if (Number(endPort) < Number(port)) refuse(port, 'must be greater than or equal to `port`');
  return [...errors, ...checkPortNumber(`${path}.endPort`, endPort)];
}

function checkBlock({ cidr, except }: Fields, path: string): FieldError[] {
  if (isMissing(cidr)) return [field.required(`${path}.cidr`)];
  const whole = netOf(cidr);
  if (whole === undefined) return checkNet(`${path}.cidr`, cidr);
  return listOf(except).flatMap((part, index) => {
    const at = `${path}.except[${index}]`;
    const net = netOf(part);
    if (net === undefined) return checkNet(at, part);
    return holdsWithin(whole, net)
      ? []
      : [field.invalid(at, textOf(part), 'must be a strict subset of `cidr`')];
  });
}

function checkPeer({ podSelector, namespaceSelector, ipBlock }: Fields, path: string): FieldError[] {
  const selectors = [podSelector, namespaceSelector].filter(isFields).length;
  const errors = [
    ...checkLabelSelector(`${path}.podSelector`, podSelector),
    ...checkLabelSelector(`${path}.namespaceSelector`, namespaceSelector),
    ...(isFields(ipBlock) ? checkBlock(ipBlock, `${path}.ipBlock`) : []),
  ];
  if (selectors === 0 && !isFields(ipBlock)) errors.push(field.required(path, 'must specify a peer'));
  if (selectors > 0 && isFields(ipBlock))
    errors.push(field.forbidden(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

/** Everything wrong with a NetworkPolicy. */
export function checkNetworkPolicy(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const types = listOf(spec['policyTypes']);
  const errors = checkLabelSelector('spec.podSelector', spec['podSelector']);
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const)
    for (const [index, rule] of items(spec[direction]).entries()) {
      const path = `spec.${direction}[${index}]`;
      errors.push(
        ...items(rule['ports']).flatMap((port, at) => checkPort(port, `${path}.ports[${at}]`)),
        ...items(rule[peers]).flatMap((peer, at) => checkPeer(peer, `${path}.${peers}[${at}]`)),
      );
    }
  if (types.length > 2)
    return [...errors, field.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  return [
    ...errors,
    ...types.flatMap((type, index) => oneOf(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress'])),
  ];
}
