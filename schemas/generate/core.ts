import * as client from '@kubernetes/client-node';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Schema } from './schema.ts';

/** The models whose closure is generated, by their class names in the client's package. */
const roots = [
  'V1Pod',
  'V1PodTemplateSpec',
  'V1Node',
  'V1Namespace',
  'V1ControllerRevision',
  'V1PersistentVolumeClaim',
  'CoreV1Event',
  'V1Lease',
];

/** Fields that hold quantities; the models call all of them plain strings. `{}` marks the values of a map. */
const quantities = new Set([
  'ContainerStatus.allocatedResources{}',
  'EmptyDirVolumeSource.sizeLimit',
  'NodeStatus.allocatable{}',
  'NodeStatus.capacity{}',
  'PersistentVolumeClaimStatus.allocatedResources{}',
  'PersistentVolumeClaimStatus.capacity{}',
  'PodSpec.overhead{}',
  'ResourceFieldSelector.divisor',
  'ResourceRequirements.limits{}',
  'ResourceRequirements.requests{}',
  'VolumeResourceRequirements.limits{}',
  'VolumeResourceRequirements.requests{}',
]);

interface Attribute {
  name: string;
  baseName: string;
  type: string;
  format: string;
}

const packageFolder = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), '..');

/** Generates the schema of Kubernetes' own kinds from the models of the installed client package. */
export function coreSchema(): Schema {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const seenQuantities = new Set<string>();
  const classes = closure();
  const names = new Map<string, string>();
  for (const className of classes) {
    const name = definitionName(className);
    const other = names.get(name);
    if (other !== undefined) throw new Error(`${className} and ${other} would both be called ${name}`);
    names.set(name, className);
  }
  const definitions: Record<string, Schema> = {};
  for (const name of [...names.keys()].sort()) {
    definitions[name] = definition(names.get(name) ?? '', seenQuantities);
  }
  const unseen = [...quantities].filter((path) => !seenQuantities.has(path));
  if (unseen.length > 0) throw new Error(`quantity fields that no model has: ${unseen.join(', ')}`);
  definitions['IntOrString'] = {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  };
  definitions['Quantity'] = { anyOf: [{ type: 'string' }, { type: 'number' }] };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://plan.kruise.io/schemas/kubernetes/core.json',
    $comment: `Generated from the models of @kubernetes/client-node ${version}.`,
    definitions,
  };
}

function attributes(className: string): Attribute[] {
  const model = (
    client as unknown as Record<string, { getAttributeTypeMap?: () => Attribute[] } | undefined>
  )[className];
  if (model?.getAttributeTypeMap === undefined) throw new Error(`no model ${className}`);
  return model.getAttributeTypeMap();
}

function closure(): string[] {
  const found = new Set<string>();
  const visit = (className: string): void => {
    if (found.has(className)) return;
    found.add(className);
    for (const { type } of attributes(className)) {
      const inner = elementType(type);
      if (isModel(inner)) visit(inner);
    }
  };
  roots.forEach(visit);
  return [...found].sort();
}

function elementType(type: string): string {
  const inner = /^Array<(.*)>$/.exec(type)?.[1] ?? /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  return inner === undefined ? type : elementType(inner);
}

function isModel(type: string): boolean {
  return /V1[A-Z]/.test(type) && type !== 'V1MicroTime';
}

function definitionName(className: string): string {
  return className.replace(/^(Core)?V1/, '');
}

function definition(className: string, seenQuantities: Set<string>): Schema {
  const declared = readFileSync(join(packageFolder, 'dist/gen/models', `${className}.d.ts`), 'utf8');
  const name = definitionName(className);
  const kind = attributes(className).some(({ baseName }) => baseName === 'kind') && roots.includes(className);
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const attribute of [...attributes(className)].sort((a, b) => (a.baseName < b.baseName ? -1 : 1))) {
    const path = `${name}.${attribute.baseName}`;
    properties[attribute.baseName] = typeSchema(attribute.type, attribute.format, path, seenQuantities);
    if (declared.includes(`'${attribute.name}':`)) required.push(attribute.baseName);
  }
  if (kind) {
    const apiVersion = { Event: 'v1', ControllerRevision: 'apps/v1', Lease: 'coordination.k8s.io/v1' }[name];
    properties['apiVersion'] = { type: 'string', enum: [apiVersion ?? 'v1'] };
    properties['kind'] = { type: 'string', enum: [name] };
    required.push(...['apiVersion', 'kind', 'metadata'].filter((field) => !required.includes(field)));
  }
  return { type: 'object', ...(required.length > 0 && { required: required.sort() }), properties };
}

function typeSchema(type: string, format: string, path: string, seenQuantities: Set<string>): Schema {
  const element = /^Array<(.*)>$/.exec(type)?.[1];
  if (element !== undefined) {
    return { type: 'array', items: typeSchema(element, format, `${path}[]`, seenQuantities) };
  }
  const member = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (member !== undefined) {
    return { type: 'object', additionalProperties: typeSchema(member, format, `${path}{}`, seenQuantities) };
  }
  if (quantities.has(path)) {
    seenQuantities.add(path);
    return { $ref: '#/definitions/Quantity' };
  }
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
