import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { addressOf } from '../../schemas/pods/address.ts';
import {
  fieldsOf,
  isSet,
  isMissing,
  items,
  listOf,
  named,
  notTooLong,
  oneOf,
  pathSegment,
  requiredName,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { domainPrefixed } from './jobValidation.ts';
import { checkPortNumber, portNameFaults } from '../../schemas/pods/ports.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const wildcard = `\\*\\.${label}(\\.${label})*`;
const wildcardRule = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '${wildcard}')`;

function checkHost(path: string, host: unknown): FieldError[] {
  const name = textOf(host);
  if (!name.includes('*')) return named(path, name, 'subdomain');
  return [
    ...(name.length > 253 ? [field.invalid(path, name, 'must be no more than 253 characters')] : []),
    ...(new RegExp(`^${wildcard}$`).test(name) ? [] : [field.invalid(path, name, wildcardRule)]),
  ];
}

/** Truncates long names. */
function checkReference(reference: Fields, path: string): FieldError[] {
  const { apiGroup, kind, name } = reference;
  const segment = (of: string, value: unknown) =>
    isMissing(value) ? [field.required(`${path}.${of}`)] : pathSegment(`${path}.${of}`, value);
  return [
    ...named(`${path}.apiGroup`, apiGroup, 'subdomain'),
    ...segment('kind', kind),
    ...segment('name', name),
  ];
}

function checkBackend(given: unknown, path: string): FieldError[] {
  const { resource, service } = fieldsOf(given);
  if (isFields(resource) && isFields(service))
    return [field.invalid(path, '', 'cannot set both resource and service backends')];
  if (isFields(resource)) return checkReference(resource, `${path}.resource`);
  if (!isFields(service)) return [field.invalid(path, '', 'resource or service backend is required')];
  const { name, number = 0 } = fieldsOf(service['port']);
  const errors = requiredName(`${path}.service.name`, service['name'], 'label1035');
  const at = `${path}.service.port`;
  const portName = textOf(name);
  if (portName !== '' && number !== 0)
    errors.push(field.invalid(path, '', 'cannot set both port name & port number'));
  else if (portName !== '')
    errors.push(...portNameFaults(portName).map((fault) => field.invalid(`${at}.name`, portName, fault)));
  else if (number !== 0) errors.push(...checkPortNumber(`${at}.number`, number));
  else errors.push(field.required(path, 'port name or number is required'));
  return errors;
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function checkPath(entry: Fields, path: string): FieldError[] {
  const { pathType } = entry;
  if (!isSet(pathType)) return [field.required(`${path}.pathType`, 'pathType must be specified')];
  const value = textOf(entry['path']);
  const errors = oneOf(`${path}.pathType`, pathType, pathTypes);
  const refuse = (why: string) => errors.push(field.invalid(`${path}.path`, value, why));
  const isExact = pathType === 'Exact' || pathType === 'Prefix';
  if (!value.startsWith('/') && (isExact || (pathType === 'ImplementationSpecific' && value !== '')))
    refuse('must be an absolute path');
  if (isExact) {
    for (const part of ['//', '/./', '/../', '%2f', '%2F'])
      if (value.includes(part)) refuse(`must not contain '${part}'`);
    for (const end of ['/..', '/.']) if (value.endsWith(end)) refuse(`cannot end with '${end}'`);
  }
  return [...errors, ...checkBackend(entry['backend'], `${path}.backend`)];
}

function checkRule({ host, http }: Fields, path: string): FieldError[] {
  const errors =
    addressOf(host) === undefined
      ? []
      : [field.invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')];
  errors.push(...checkHost(`${path}.host`, host));
  if (!isFields(http)) return errors;
  const paths = items(http['paths']);
  if (paths.length === 0) errors.push(field.required(`${path}.http.paths`));
  return [...errors, ...paths.flatMap((each, index) => checkPath(each, `${path}.http.paths[${index}]`))];
}

/** Everything wrong with an Ingress. */
export function checkIngress(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const { defaultBackend, ingressClassName } = spec;
  const rules = items(spec['rules']);
  const errors: FieldError[] = [];
  if (rules.length === 0 && !isFields(defaultBackend))
    errors.push(
      field.invalid(
        'spec',
        Array.isArray(spec['rules']) ? [] : null,
        'either `defaultBackend` or `rules` must be specified',
      ),
    );
  if (isFields(defaultBackend)) errors.push(...checkBackend(defaultBackend, 'spec.defaultBackend'));
  errors.push(...rules.flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`)));
  for (const [index, { hosts, secretName }] of items(spec['tls']).entries())
    errors.push(
      ...listOf(hosts).flatMap((host, at) => checkHost(`spec.tls[${index}].hosts[${at}]`, host)),
      ...named(`spec.tls[${index}].secretName`, secretName, 'subdomain'),
    );
  return isSet(ingressClassName)
    ? [
        ...errors,
        ...(ingressClassName === ''
          ? requiredEmptyName('spec.ingressClassName')
          : named('spec.ingressClassName', ingressClassName, 'subdomain')),
      ]
    : errors;
}

/** A name that is set but empty. */
function requiredEmptyName(path: string): FieldError[] {
  return named(path, '-', 'subdomain').map((error) => ({
    ...error,
    message: error.message.replace('"-"', '""'),
  }));
}

const classAnnotation = 'kubernetes.io/ingress.class';

/** A new Ingress must not use both the annotation and the field for its class. */
export function checkIngressClassNames(object: KubeObject): FieldError[] {
  const annotated = object.metadata.annotations?.[classAnnotation];
  const { ingressClassName } = fieldsOf(object['spec']);
  return annotated === undefined || !isSet(ingressClassName) || annotated === ingressClassName
    ? []
    : [
        field.invalid(
          `annotations.${classAnnotation}`,
          annotated,
          'must match `ingressClassName` when both are specified',
        ),
      ];
}

const scopes = ['Cluster', 'Namespace'];

/** Everything wrong with an IngressClass. */
export function checkIngressClass(object: KubeObject): FieldError[] {
  const { controller, parameters } = fieldsOf(object['spec']);
  const errors = [
    ...notTooLong('spec.controller', controller, 250),
    ...domainPrefixed('spec.controller', controller),
  ];
  if (!isFields(parameters)) return errors;
  const { scope, namespace } = parameters;
  const path = 'spec.parameters';
  errors.push(...checkReference(parameters, path));
  if (!isSet(scope)) return [...errors, field.required(`${path}.scope`)];
  errors.push(...oneOf(`${path}.scope`, scope, scopes));
  const at = `${path}.namespace`;
  if (scope === 'Namespace')
    errors.push(
      ...(isSet(namespace)
        ? named(at, namespace, 'label')
        : [field.required(at, "`parameters.scope` is set to 'Namespace'")]),
    );
  if (scope === 'Cluster' && isSet(namespace))
    errors.push(field.forbidden(at, "`parameters.scope` is set to 'Cluster'"));
  return errors;
}
