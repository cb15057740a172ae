import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { specDefaulter } from './defaulting.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';
import {
  freeAddress,
  freeNodePort,
  isNodePort,
  isServiceAddress,
  servicePortRange,
} from './serviceAddress.ts';
import { checkService, checkServiceUpdate, isExternal, portsOf, usesNodePorts } from './serviceValidation.ts';

const affinitySeconds = 10_800;

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

function withPortDefaults(port: unknown): unknown {
  if (!isFields(port)) return port;
  const { targetPort } = port;
  return {
    ...port,
    protocol: port['protocol'] || 'TCP',
    targetPort: targetPort === undefined || targetPort === 0 || targetPort === '' ? port['port'] : targetPort,
  };
}

/** Defaults of a Service that do not depend on other objects. */
function withDefaults(object: KubeObject): KubeObject {
  const spec = { ...specOf(object) };
  const fill = (name: string, value: unknown) => (spec[name] ??= value);
  fill('sessionAffinity', 'None');
  fill('type', 'ClusterIP');
  if (spec['sessionAffinity'] === 'ClientIP')
    fill('sessionAffinityConfig', { clientIP: { timeoutSeconds: affinitySeconds } });
  if (Array.isArray(spec['ports'])) spec['ports'] = spec['ports'].map(withPortDefaults);
  if (isExternal(spec)) fill('externalTrafficPolicy', 'Cluster');
  if (spec['type'] !== 'ExternalName') fill('internalTrafficPolicy', 'Cluster');
  if (spec['type'] === 'LoadBalancer') fill('allocateLoadBalancerNodePorts', true);
  return { ...object, spec };
}

/** Node ports are kept where the update does not set them. */
function keepNodePorts(spec: Fields, before: Fields): void {
  if (!usesNodePorts(spec) || !usesNodePorts(before)) return;
  const taken = new Set(portsOf(spec).map(({ nodePort }) => nodePort));
  spec['ports'] = portsOf(spec).map((port) => {
    if (port['nodePort']) return port;
    const old = portsOf(before).find(
      (each) => each['port'] === port['port'] && each['protocol'] === (port['protocol'] ?? 'TCP'),
    );
    return old === undefined || taken.has(old['nodePort']) ? port : { ...port, nodePort: old['nodePort'] };
  });
}

/** Clears fields that do not apply to the new type and were not changed. */
function dropUnused(spec: Fields, before: Fields): void {
  const drop = (...names: string[]) => {
    for (const name of names) if (sameValue(spec[name], before[name])) delete spec[name];
  };
  if (usesNodePorts(before) && !usesNodePorts(spec)) {
    const old = new Set(portsOf(before).map(({ nodePort }) => nodePort));
    if (Array.isArray(spec['ports']))
      spec['ports'] = portsOf(spec).map(({ nodePort, ...port }) =>
        nodePort === undefined || old.has(nodePort) ? port : { ...port, nodePort },
      );
    if (!isExternal(spec)) drop('externalTrafficPolicy');
  }
  if (spec['type'] !== 'LoadBalancer') drop('allocateLoadBalancerNodePorts', 'loadBalancerClass');
  if (spec['type'] !== 'ExternalName') return;
  drop('clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
}

/** LoadBalancer Services with externalTrafficPolicy Local get a healthCheckNodePort. */
function isHealthChecked(spec: Fields): boolean {
  return spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
}

function carriedOver(next: KubeObject, current: KubeObject): KubeObject {
  const spec = { ...specOf(next) };
  const before = specOf(current);
  spec['type'] ??= 'ClusterIP';
  if (spec['type'] !== before['type']) dropUnused(spec, before);
  if (spec['type'] !== 'ExternalName' && before['type'] !== 'ExternalName') {
    const { clusterIP } = spec;
    if (clusterIP === undefined || clusterIP === '') {
      spec['clusterIP'] = before['clusterIP'];
      spec['clusterIPs'] = before['clusterIPs'];
    } else if (clusterIP === before['clusterIP']) spec['clusterIPs'] ??= before['clusterIPs'];
    for (const name of ['ipFamilies', 'ipFamilyPolicy'])
      if (spec[name] === undefined && before[name] !== undefined) spec[name] = before[name];
    keepNodePorts(spec, before);
    const port = before['healthCheckNodePort'];
    if (isHealthChecked(before) && isHealthChecked(spec)) spec['healthCheckNodePort'] ||= port;
    else if (isHealthChecked(before) && spec['healthCheckNodePort'] === port)
      delete spec['healthCheckNodePort'];
  }
  return { ...next, spec };
}

const addressOf = textAt(['clusterIP']);

function allocateAddress(spec: Fields, others: readonly Fields[]): FieldError[] {
  if (spec['type'] === 'ExternalName') return [];
  const taken = new Set(others.map(addressOf));
  const asked = addressOf(spec);
  const fault = (why: string) => [
    field.invalid('spec.clusterIPs', [asked], `failed to allocate IP ${asked}: ${why}`),
  ];
  if (asked === '') {
    const free = freeAddress(taken);
    if (free === undefined) return [field.invalid('spec.clusterIPs', [], 'range is full')];
    spec['clusterIP'] = free;
  } else if (asked !== 'None') {
    if (!isServiceAddress(asked)) return fault('the provided network does not match the current range');
    if (taken.has(asked)) return fault('provided IP is already allocated');
  }
  spec['clusterIPs'] = [spec['clusterIP']];
  // A headless Service without a selector can have endpoints of both families.
  const unknown =
    asked === 'None' && Object.keys((spec['selector'] as object | undefined) ?? {}).length === 0;
  spec['ipFamilies'] ??= unknown ? ['IPv4', 'IPv6'] : ['IPv4'];
  spec['ipFamilyPolicy'] ??= unknown ? 'RequireDualStack' : 'SingleStack';
  return [];
}

function allocateNodePorts(spec: Fields, others: readonly Fields[]): FieldError[] {
  const taken = new Set(
    others.flatMap((each) => [
      ...portsOf(each).map(({ nodePort }) => Number(nodePort)),
      Number(each['healthCheckNodePort']),
    ]),
  );
  if (isHealthChecked(spec) && !spec['healthCheckNodePort']) {
    spec['healthCheckNodePort'] = freeNodePort(taken) ?? 0;
    taken.add(Number(spec['healthCheckNodePort']));
  }
  if (!usesNodePorts(spec) || spec['allocateLoadBalancerNodePorts'] === false) return [];
  const errors: FieldError[] = [];
  for (const [index, { nodePort }] of portsOf(spec).entries()) {
    if (typeof nodePort !== 'number' || nodePort === 0) continue;
    const refused = isNodePort(nodePort)
      ? 'provided port is already allocated'
      : `provided port is not in the valid range. The range of valid ports is ${servicePortRange}`;
    if (taken.has(nodePort) || !isNodePort(nodePort))
      errors.push(field.invalid(`spec.ports[${index}].nodePort`, nodePort, refused));
    taken.add(nodePort);
  }
  spec['ports'] = portsOf(spec).map((port) => {
    if (port['nodePort']) return port;
    const nodePort = freeNodePort(taken) ?? 0;
    taken.add(nodePort);
    return { ...port, nodePort };
  });
  return errors;
}

/** Services: defaults, validation, and allocation of cluster IPs and node ports. */
export const serviceRules: KindRules = {
  createsOnUpdate: true,
  defaults: specDefaulter(withDefaults),
  prepareCreate: (object) => ({ ...object, status: { loadBalancer: {} } }),
  prepareUpdate: carriedOver,
  check: checkService,
  checkUpdate: checkServiceUpdate,
  allocate(object, others) {
    const spec = { ...specOf(object) };
    const specs = others.map(specOf);
    const errors = [...allocateAddress(spec, specs), ...allocateNodePorts(spec, specs)];
    return errors.length > 0 ? errors : { ...object, spec };
  },
  fields: { 'spec.clusterIP': textAt(['spec', 'clusterIP']), 'spec.type': textAt(['spec', 'type']) },
};
