import { attributes, clientVersion, closure, containerOf, isModel, requiredFields } from './models.ts';
import { quantities } from './shapeFacts.ts';
import type { Schema } from './schema.ts';

/** The models whose closure is generated, by their class names in the client's package. */
const roots = [
  'V1Pod',
  'V1PodTemplateSpec',
  'V1JobTemplateSpec',
  'V1Node',
  'V1Namespace',
  'V1ControllerRevision',
  'V1PersistentVolumeClaim',
  'CoreV1Event',
  'V1Lease',
];

/** The texts that the API server reads as a quantity. */
const quantityPattern = '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$';

/** Generates the schema of the Kubernetes kinds from the models of the installed client package. */
export function coreSchema(): Schema {
  const classes = closure(roots);
  const names = new Map<string, string>();
  for (const className of classes) {
    const name = definitionName(className);
    const other = names.get(name);
    if (other !== undefined) throw new Error(`${className} and ${other} would both be called ${name}`);
    names.set(name, className);
  }
  const definitions: Record<string, Schema> = {};
  for (const name of [...names.keys()].sort()) {
    definitions[name] = definition(names.get(name) ?? '');
  }
  definitions['IntOrString'] = {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  };
  definitions['Quantity'] = { anyOf: [{ type: 'string', pattern: quantityPattern }, { type: 'number' }] };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://plan.kruise.io/schemas/kubernetes/core.json',
    $comment: `Generated from the models of @kubernetes/client-node ${clientVersion()}.`,
    definitions,
  };
}

function definitionName(className: string): string {
  return className.replace(/^(Core)?V1/, '');
}

function definition(className: string): Schema {
  const name = definitionName(className);
  const kind = attributes(className).some(({ baseName }) => baseName === 'kind') && roots.includes(className);
  const properties: Record<string, Schema> = {};
  const required = requiredFields(className);
  for (const attribute of [...attributes(className)].sort((a, b) => (a.baseName < b.baseName ? -1 : 1))) {
    const path = `${name}.${attribute.baseName}`;
    properties[attribute.baseName] = typeSchema(attribute.type, attribute.format, path);
  }
  if (kind) {
    const apiVersion = { Event: 'v1', ControllerRevision: 'apps/v1', Lease: 'coordination.k8s.io/v1' }[name];
    properties['apiVersion'] = { type: 'string', enum: [apiVersion ?? 'v1'] };
    properties['kind'] = { type: 'string', enum: [name] };
    required.push(...['apiVersion', 'kind', 'metadata'].filter((field) => !required.includes(field)));
  }
  return { type: 'object', ...(required.length > 0 && { required: required.sort() }), properties };
}

function typeSchema(type: string, format: string, path: string): Schema {
  const container = containerOf(type);
  if (container?.of === 'list') {
    return { type: 'array', items: typeSchema(container.element, format, `${path}[]`) };
  }
  if (container?.of === 'map') {
    const member = typeSchema(container.element, format, `${path}{}`);
    return { type: 'object', additionalProperties: member };
  }
  if (quantities.includes(path)) return { $ref: '#/definitions/Quantity' };
  if (isModel(type)) return { $ref: `#/definitions/${definitionName(type)}` };
  switch (type) {
    case 'string':
      return { type: 'string', ...(format === 'byte' && { format }) };
    case 'boolean':
      return { type: 'boolean' };
    case 'number':
      return format.startsWith('int') ? { type: 'integer', format } : { type: 'number' };
    case 'Date':
    case 'V1MicroTime':
      return { type: 'string', format: 'date-time' };
    case 'IntOrString':
      return { $ref: '#/definitions/IntOrString' };
    case 'any':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    default:
      throw new Error(`${path}: unknown type ${type}`);
  }
}
