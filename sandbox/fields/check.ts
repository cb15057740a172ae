import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { atomOf, fieldType, isNamed, itemElement, type Atom, type FieldType } from './atom.ts';
import { fieldElement, showElement } from './element.ts';

/** The null of an expression, which no type takes, in contrast to that of JSON. Other symbols are Go types that JSON lacks. */
export const celNull = Symbol('NULL_VALUE');

/** Formats a value like Go's %v, as the server's messages do. */
function printed(value: unknown): string {
  if (value === null) return '<nil>';
  if (typeof value === 'symbol') return value.description ?? '';
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (!isFields(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${printed(value[name])}`).join(' ')}]`;
}

/** Formats a value like Go's %#v. */
function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'symbol') return value === celNull ? '0' : (value.description ?? '');
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isFields(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `map[string]interface {}{${names.map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`).join(', ')}}`;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'symbol') return value === celNull ? 'structpb.NullValue' : (value.description ?? '');
  if (typeof value === 'boolean') return 'bool';
  return isFields(value) ? 'map[string]interface {}' : typeof value;
}

function checkScalar(of: (Atom & { kind: 'scalar' })['of'], value: unknown, path: string): string[] {
  if (typeof value === of || (of === 'any' && typeof value !== 'symbol')) return [];
  switch (of) {
    case 'any':
      return [`${path}: expected map, got &{${printed(value)}}`];
    case 'string':
      return [`${path}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
    case 'boolean':
      return [`${path}: expected boolean, got &{${printed(value)}}`];
    case 'number':
      return [`${path}: expected numeric (int or float), got ${goType(value)}`];
  }
}

function itemProblem(atom: Atom & { kind: 'list' }, item: unknown): string | undefined {
  if (atom.relation === 'map') {
    if (!isFields(item)) return 'associative list with keys may not have non-map elements';
    if (itemElement(atom, item) !== undefined) return undefined;
    const keys = atom.keys.map((key) => JSON.stringify(key)).join(' ');
    return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
  }
  if (isFields(item)) return "associative list without keys has an element that's a map type";
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return item === null ? 'associative list without keys has an element that is an explicit null' : undefined;
}

function checkItems(atom: Atom & { kind: 'list' }, list: readonly unknown[], path: string): string[] {
  if (atom.relation === 'atomic')
    return list.flatMap((item, index) => checkTyped(atom.items, item, `${path}[${index}]`));
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const problem = itemProblem(atom, item);
    const element = problem === undefined ? itemElement(atom, item) : undefined;
    if (element === undefined) {
      errors.push(`${path}: element ${index}: ${problem}`);
      continue;
    }
    if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${showElement(element)}`);
    seen.add(element);
    errors.push(...checkTyped(atom.items, item, path + showElement(element)));
  }
  return errors;
}

function checkMap(atom: Atom & { kind: 'map' }, value: Fields, path: string): string[] {
  return Object.keys(value)
    .sort()
    .flatMap((name) => {
      const at = path + showElement(fieldElement(name));
      if (atom.closed && !isNamed(atom, name)) return [`${at}: field not declared in schema`];
      return checkTyped(fieldType(atom, name), value[name], at);
    });
}

function checkTyped(type: FieldType, value: unknown, path: string): string[] {
  if (value === null || value === undefined) return [];
  const atom = atomOf(type, value);
  switch (atom.kind) {
    case 'scalar':
      return checkScalar(atom.of, value, path);
    case 'list':
      if (!Array.isArray(value)) return [`${path}: expected list, got &{${printed(value)}}`];
      return checkItems(atom, value, path);
    case 'map':
      if (!isFields(value)) return [`${path}: expected map, got &{${printed(value)}}`];
      return checkMap(atom, value, path);
  }
}

/** Type errors in a configuration, in the server's wording; '' if there are none. */
export function typeErrors(type: FieldType, value: unknown): string {
  const errors = checkTyped(type, value, '');
  return errors.length > 1 ? `errors:\n${errors.map((error) => `  ${error}`).join('\n')}` : (errors[0] ?? '');
}
