import type { Json, JsonObject } from '../../schemas/wire/json.ts';

/** A ConfigMap or Secret that a pod names, and does not start without. */
export interface PodReference {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /** Where the name stands below the template. */
  path: string[];
}

/** The fields of a template that refer to one, and what the name is called there. */
const FIELDS: Readonly<Record<string, { kind: PodReference['kind']; names: readonly string[] }>> = {
  configMap: { kind: 'ConfigMap', names: ['name'] },
  configMapRef: { kind: 'ConfigMap', names: ['name'] },
  configMapKeyRef: { kind: 'ConfigMap', names: ['name'] },
  secret: { kind: 'Secret', names: ['secretName', 'name'] },
  secretRef: { kind: 'Secret', names: ['name'] },
  secretKeyRef: { kind: 'Secret', names: ['name'] },
  azureFile: { kind: 'Secret', names: ['secretName'] },
  nodePublishSecretRef: { kind: 'Secret', names: ['name'] },
};

/** A list of references by name. */
const PULL_SECRETS = 'imagePullSecrets';

/** The references in a template, at any depth. One that is optional is none: the pod starts without it. */
export function podReferences(template: JsonObject): PodReference[] {
  const found: PodReference[] = [];
  addBelow(template, [], found);
  return found;
}

/** Adds those below a value, each before those below it. Most members are plain values, which get no path. */
function addBelow(value: JsonObject | readonly Json[], path: readonly string[], found: PodReference[]): void {
  const isList = Array.isArray(value);
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    if (typeof member !== 'object' || member === null) continue;
    const place = [...path, key];
    if (!isList) found.push(...named(key, member, place));
    addBelow(member, place, found);
  }
}

function named(key: string, member: Json | undefined, path: string[]): PodReference[] {
  if (key === PULL_SECRETS && Array.isArray(member))
    return member.flatMap((each, index) => namesIn(each, 'Secret', ['name'], [...path, String(index)]));
  const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
  return field === undefined ? [] : namesIn(member, field.kind, field.names, path);
}

function namesIn(
  member: Json | undefined,
  kind: PodReference['kind'],
  names: readonly string[],
  path: readonly string[],
): PodReference[] {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return [];
  if (member['optional'] === true) return [];
  return names.flatMap((at) => {
    const name = Object.hasOwn(member, at) ? member[at] : undefined;
    return typeof name === 'string' && name !== '' ? [{ kind, name, path: [...path, at] }] : [];
  });
}
