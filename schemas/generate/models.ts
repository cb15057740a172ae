import * as client from '@kubernetes/client-node';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A field of the client's models: the name in TypeScript, the serialized name, type and format. */
export interface Attribute {
  name: string;
  baseName: string;
  type: string;
  format: string;
}

const packageFolder = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), '..');

/** The version of the installed client package. */
export function clientVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

/** The fields of a model by its class name; throws when there is no such model. */
export function attributes(className: string): Attribute[] {
  const model = (
    client as unknown as Record<string, { getAttributeTypeMap?: () => Attribute[] } | undefined>
  )[className];
  if (model?.getAttributeTypeMap === undefined) throw new Error(`no model ${className}`);
  return model.getAttributeTypeMap();
}

/** The required fields of a model, by serialized name. */
export function requiredFields(className: string): string[] {
  const declared = readFileSync(join(packageFolder, 'dist/gen/models', `${className}.d.ts`), 'utf8');
  return attributes(className)
    .filter(({ name }) => declared.includes(`'${name}':`))
    .map(({ baseName }) => baseName);
}

/** Parses `Array<T>` and `{ [key: string]: T; }`; undefined for all other types. */
export function containerOf(type: string): { of: 'list' | 'map'; element: string } | undefined {
  const element = /^Array<(.*)>$/.exec(type)?.[1];
  if (element !== undefined) return { of: 'list', element };
  const member = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  return member === undefined ? undefined : { of: 'map', element: member };
}

/** The innermost type of lists and maps. */
export function elementType(type: string): string {
  const container = containerOf(type);
  return container === undefined ? type : elementType(container.element);
}

/** Whether a type is another model. */
export function isModel(type: string): boolean {
  return /V[12](?:beta1)?[A-Z]/.test(type) && type !== 'V1MicroTime';
}

/** The transitive closure of the given models, sorted. */
export function closure(roots: readonly string[]): string[] {
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
