import { items } from './fieldChecks.ts';
import type { Fields } from './fields.ts';

/** A warning of the API server about a field. */
export interface FieldWarning {
  field: string;
  detail: string;
}

/** Removed volume sources by field name: the name in messages, and the version of removal. */
const removedSources: Readonly<Record<string, readonly [name: string, detail: string]>> = {
  cephfs: ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  flocker: ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  gitRepo: ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  glusterfs: ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  photonPersistentDisk: ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  quobyte: ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  rbd: ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
  scaleIO: ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  storageos: ['storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
};

/** Warnings about the sources of a volume. */
export function sourceWarnings(sources: Fields, path: string): FieldWarning[] {
  return Object.entries(removedSources).flatMap(([key, [name, detail]]) =>
    sources[key] === undefined ? [] : [{ field: `${path}.${name}`, detail }],
  );
}

function repeatedNames(env: unknown, path: string): FieldWarning[] {
  const seen = new Set<unknown>();
  return items(env).flatMap(({ name }, index) => {
    // One without a name has an error.
    if (typeof name !== 'string' || !seen.has(name)) {
      seen.add(name);
      return [];
    }
    const detail = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [{ field: `${path}[${index}]`, detail }];
  });
}

/** All warnings about a pod spec. */
export function podSpecWarnings(spec: Fields, path: string): FieldWarning[] {
  const containers = (list: string) =>
    items(spec[list]).flatMap(({ env }, index) => repeatedNames(env, `${path}.${list}[${index}].env`));
  return [
    ...items(spec['volumes']).flatMap((volume, index) => sourceWarnings(volume, `${path}.volumes[${index}]`)),
    ...containers('initContainers'),
    ...containers('containers'),
  ];
}
