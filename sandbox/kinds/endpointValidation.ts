import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { addressOf, checkAddress, checkEndpointAddress } from '../../schemas/pods/address.ts';
import {
  fieldsOf,
  isSet,
  isMissing,
  items,
  labelKey,
  labelValue,
  listOf,
  named,
  oneOf,
  requiredName,
  someOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { checkPortNumber } from '../../schemas/pods/ports.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];
const mostPorts = 20_000;
const mostEndpoints = 1000;
const mostAddresses = 100;
const mostHints = 8;

function checkSlicePorts(ports: unknown): FieldError[] {
  const list = items(ports);
  if (list.length > mostPorts) return [field.tooMany('ports', list.length, mostPorts)];
  const seen = new Set<string>();
  return list.flatMap((port, index) => {
    const path = `ports[${index}]`;
    const name = textOf(port['name']);
    const errors = named(`${path}.name`, name, 'label');
    if (seen.has(name)) errors.push(field.duplicate(`${path}.name`, name));
    seen.add(name);
    errors.push(...someOf(`${path}.protocol`, port['protocol'], protocols));
    return isSet(port['appProtocol'])
      ? [...errors, ...labelKey(`${path}.appProtocol`, port['appProtocol'])]
      : errors;
  });
}

function checkDomain(path: string, value: unknown): FieldError[] {
  const name = textOf(value);
  if (name === '') return [field.required(path)];
  const errors = named(path, name, 'subdomain');
  if (errors.length > 0) return errors;
  return name.split('.').length < 2
    ? [field.invalid(path, name, 'should be a domain with at least two segments separated by dots')]
    : [];
}

function checkSliceAddress(type: unknown, list: string, index: number, address: unknown): FieldError[] {
  const path = `${list}[${index}]`;
  if (type === 'FQDN') return checkDomain(path, address);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = checkAddress(path, address);
  if (errors.length > 0) return errors;
  const family = addressOf(address)?.family === 4 ? 'IPv4' : 'IPv6';
  const wrong = family === type ? [] : [field.invalid(list, address, `must be an ${type} address`)];
  return [...wrong, ...checkEndpointAddress(path, address)];
}

function checkHints(hints: unknown, path: string): FieldError[] {
  if (!isFields(hints)) return [];
  const zones = items(hints['forZones']);
  const errors: FieldError[] = [];
  if (zones.length > mostHints) return [field.tooMany(`${path}.forZones`, zones.length, mostHints)];
  const seen = new Set<string>();
  for (const [index, zone] of zones.entries()) {
    const at = `${path}.forZones[${index}].name`;
    const name = textOf(zone['name']);
    if (seen.has(name)) errors.push(field.duplicate(at, name));
    seen.add(name);
    errors.push(...labelValue(at, name));
  }
  return errors;
}

function checkEndpoint(endpoint: Fields, path: string, type: unknown): FieldError[] {
  const addresses = listOf(endpoint['addresses']);
  const { nodeName, hostname } = endpoint;
  const at = `${path}.addresses`;
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(field.required(at, 'must contain at least 1 address'));
  if (addresses.length > mostAddresses) errors.push(field.tooMany(at, addresses.length, mostAddresses));
  errors.push(...addresses.flatMap((address, index) => checkSliceAddress(type, at, index, address)));
  return [
    ...errors,
    ...named(`${path}.nodeName`, nodeName, 'subdomain'),
    ...named(`${path}.hostname`, hostname, 'label'),
    ...checkHints(endpoint['hints'], `${path}.hints`),
  ];
}

/** Everything wrong with an EndpointSlice. */
export function checkEndpointSlice(object: KubeObject): FieldError[] {
  const { addressType } = object;
  const endpoints = items(object['endpoints']);
  const errors = [
    ...someOf('addressType', addressType, ['FQDN', 'IPv4', 'IPv6']),
    ...checkSlicePorts(object['ports']),
  ];
  return endpoints.length > mostEndpoints
    ? [...errors, field.tooMany('endpoints', endpoints.length, mostEndpoints)]
    : [
        ...errors,
        ...endpoints.flatMap((endpoint, index) =>
          checkEndpoint(endpoint, `endpoints[${index}]`, addressType),
        ),
      ];
}

function checkSubsetAddress({ ip, hostname, nodeName }: Fields, path: string): FieldError[] {
  const at = `${path}.ip`;
  const isAddress = addressOf(ip) !== undefined;
  return [
    ...checkAddress(at, ip),
    ...named(`${path}.hostname`, hostname, 'label'),
    ...named(`${path}.nodeName`, nodeName, 'subdomain'),
    ...(isAddress
      ? checkEndpointAddress(at, ip)
      : [field.invalid(at, textOf(ip), 'must be a valid IP address')]),
  ];
}

function checkSubsetPort(port: Fields, path: string, needsName: boolean): FieldError[] {
  const { name, protocol, appProtocol } = port;
  return [
    ...(needsName || !isMissing(name) ? requiredName(`${path}.name`, name, 'label') : []),
    ...checkPortNumber(`${path}.port`, port['port'] ?? 0),
    ...(isMissing(protocol)
      ? [field.required(`${path}.protocol`)]
      : oneOf(`${path}.protocol`, protocol, protocols)),
    ...(isSet(appProtocol) ? labelKey(`${path}.appProtocol`, appProtocol) : []),
  ];
}

/** Everything wrong with Endpoints. */
export function checkEndpoints(object: KubeObject): FieldError[] {
  return items(object['subsets']).flatMap((subset, index) => {
    const path = `subsets[${index}]`;
    const ports = items(subset['ports']);
    const lists = ['addresses', 'notReadyAddresses'];
    return [
      ...(lists.every((list) => listOf(subset[list]).length === 0)
        ? [field.required(path, 'must specify `addresses` or `notReadyAddresses`')]
        : []),
      ...lists.flatMap((list) =>
        items(subset[list]).flatMap((each, at) => checkSubsetAddress(each, `${path}.${list}[${at}]`)),
      ),
      ...ports.flatMap((port, at) => checkSubsetPort(port, `${path}.ports[${at}]`, ports.length > 1)),
    ];
  });
}

/** The addressType of an EndpointSlice is immutable. */
export function checkAddressType(next: KubeObject, current: KubeObject): FieldError[] {
  return next['addressType'] === current['addressType'] || !isSet(fieldsOf(next)['addressType'])
    ? []
    : [field.invalid('addressType', next['addressType'], 'field is immutable')];
}
