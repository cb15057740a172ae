import type { KubeObject } from '../../schemas/wire/object.ts';
import { parsePath } from './schema-errors.ts';

/**
 * The path in the manifest of a classified path such as `template.spec.containers[nginx].image`: list items are found by
 * the key in brackets. Stops at the first key that the manifest does not have.
 */
export function pathIn(object: KubeObject, path: string): string[] {
  const keys = parsePath(path);
  // The fields of a template are named without the spec that holds it.
  const found = keys[0] === 'spec' ? [] : ['spec'];
  let value: unknown = keys[0] === 'spec' ? object : object['spec'];
  for (const key of keys) {
    const step = Array.isArray(value) ? indexOfItem(value, key) : key;
    if (step === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      break;
    found.push(step);
    value = (value as Record<string, unknown>)[step];
  }
  return found;
}

/** List items of Kubernetes are identified by the first of these fields that they have, or by their index. */
const ITEM_KEYS = [
  'name',
  'mountPath',
  'containerPort',
  'devicePath',
  'ip',
  'topologyKey',
  'key',
  'conditionType',
];

function indexOfItem(items: readonly unknown[], key: string): string | undefined {
  const index = items.findIndex(
    (item) =>
      typeof item === 'object' &&
      item !== null &&
      ITEM_KEYS.some(
        (name) => Object.hasOwn(item, name) && String((item as Record<string, unknown>)[name]) === key,
      ),
  );
  if (index >= 0) return String(index);
  return /^[0-9]+$/.test(key) && Number(key) < items.length ? key : undefined;
}
