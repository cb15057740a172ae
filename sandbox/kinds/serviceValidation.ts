import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { labelValueFaults, nameFaults, qualifiedNameFaults } from '../../schemas/pods/names.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { checkPortNumber, portNameFaults } from '../../schemas/pods/ports.ts';
import { ipv4 } from './serviceAddress.ts';

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Whether Services of this type use node ports. */
export function usesNodePorts({ type }: Fields): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

export function portsOf({ ports }: Fields): Fields[] {
  return Array.isArray(ports) ? (ports as unknown[]).filter(isFields) : [];
}

/** Whether the Service is reachable from outside of the cluster. */
export function isExternal(spec: Fields): boolean {
  const { type, externalIPs } = spec;
  return (
    usesNodePorts(spec) || (type === 'ClusterIP' && Array.isArray(externalIPs) && externalIPs.length > 0)
  );
}

function oneOf(path: string, value: unknown, supported: readonly string[]): FieldError[] {
  return supported.includes(String(value)) ? [] : [field.notSupported(path, value, supported)];
}

function isAddress(text: unknown): boolean {
  return ipv4(text) !== undefined || (typeof text === 'string' && /^[\da-fA-F]*:[\da-fA-F:.]*$/.test(text));
}

function checkPort(port: Fields, path: string, type: unknown): FieldError[] {
  const { protocol, targetPort, nodePort } = port;
  const target =
    typeof targetPort === 'string'
      ? portNameFaults(targetPort).map((fault) => field.invalid(`${path}.targetPort`, targetPort, fault))
      : checkPortNumber(`${path}.targetPort`, targetPort ?? 0);
  return [
    ...checkPortNumber(`${path}.port`, port['port'] ?? 0),
    ...oneOf(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']),
    ...target,
    ...(nodePort && (type === 'ClusterIP' || type === 'ExternalName')
      ? [field.forbidden(`${path}.nodePort`, `may not be used when \`type\` is '${type}'`)]
      : []),
  ];
}

function checkPorts(spec: Fields): FieldError[] {
  const ports = portsOf(spec);
  const errors: FieldError[] = [];
  if (ports.length === 0 && spec['type'] !== 'ExternalName' && spec['clusterIP'] !== 'None')
    errors.push(field.required('spec.ports'));
  const names = new Set<unknown>();
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    const { name = '' } = port;
    if (name === '') {
      if (ports.length > 1) errors.push(field.required(`${path}.name`));
    } else {
      const faults = nameFaults(String(name), 'label');
      errors.push(...faults.map((fault) => field.invalid(`${path}.name`, name, fault)));
      if (faults.length === 0 && names.has(name)) errors.push(field.duplicate(`${path}.name`, name));
      names.add(name);
    }
    errors.push(...checkPort(port, path, spec['type']));
  }
  return [...errors, ...checkDuplicates(ports)];
}

/** Ports must be unique by number and protocol. */
function checkDuplicates(ports: readonly Fields[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ protocol, port }, index) => {
    const key = `${String(protocol)} ${String(port)}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const shown = {
      Name: '',
      Protocol: protocol,
      AppProtocol: null,
      Port: port,
      TargetPort: 0,
      NodePort: 0,
    };
    return [field.duplicate(`spec.ports[${index}]`, shown)];
  });
}

function checkSelector({ selector }: Fields): FieldError[] {
  return Object.entries(isFields(selector) ? selector : {}).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => field.invalid('spec.selector', key, fault)),
    ...labelValueFaults(String(value)).map((fault) => field.invalid('spec.selector', value, fault)),
  ]);
}

function checkAddress(spec: Fields): FieldError[] {
  const { clusterIP, type } = spec;
  const path = 'spec.clusterIPs[0]';
  if (clusterIP === undefined || clusterIP === '') return [];
  if (clusterIP === 'None')
    return usesNodePorts(spec)
      ? [field.invalid(path, clusterIP, `may not be set to 'None' for ${String(type)} services`)]
      : [];
  return isAddress(clusterIP) ? [] : [field.invalid(path, clusterIP, notAnAddress)];
}

/** Everything wrong with a Service on its own. */
export function checkService(object: KubeObject): FieldError[] {
  const spec = isFields(object['spec']) ? object['spec'] : {};
  return [
    ...checkPorts(spec),
    ...checkAddress(spec),
    ...checkSelector(spec),
    ...oneOf('spec.type', spec['type'], types),
  ];
}

/** Immutable fields: the cluster IP once it is set. */
export function checkServiceUpdate(next: KubeObject, current: KubeObject): FieldError[] {
  const before = isFields(current['spec']) ? current['spec'] : {};
  const after = isFields(next['spec']) ? next['spec'] : {};
  if (before['type'] === 'ExternalName' || after['type'] === 'ExternalName') return [];
  const { clusterIP } = after;
  return before['clusterIP'] === undefined || clusterIP === before['clusterIP']
    ? []
    : [field.invalid('spec.clusterIPs[0]', [clusterIP], 'may not change once set')];
}
