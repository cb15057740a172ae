import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';

/** Removed volume sources by field name, with the version of removal. */
const removedSources: Readonly<Record<string, string>> = {
  cephfs: 'cephfs: deprecated in v1.28, non-functional in v1.31+',
  flocker: 'flocker: deprecated in v1.22, non-functional in v1.25+',
  gitRepo: 'gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
  glusterfs: 'glusterfs: deprecated in v1.25, non-functional in v1.26+',
  photonPersistentDisk: 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  quobyte: 'quobyte: deprecated in v1.22, non-functional in v1.25+',
  rbd: 'rbd: deprecated in v1.28, non-functional in v1.31+',
  scaleIO: 'scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'storageOS: deprecated in v1.22, non-functional in v1.25+',
};

function removedSourceOf(sources: Fields, path: string): string[] {
  return Object.keys(removedSources)
    .filter((name) => sources[name] !== undefined)
    .map((name) => `${path}.${removedSources[name]}`);
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isFields) : [];
}

function repeatedNames(env: unknown, path: string): string[] {
  const seen = new Set<unknown>();
  return listOf(env).flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [
      `${path}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

/** Warnings for kinds with a pod spec at `path`: for new objects and for changes of the spec. */
export function podWarnings(path: readonly string[]): NonNullable<KindRules['warnings']> {
  const at = path.join('.');
  const part = path[0] ?? '';
  return (object, current) => {
    const spec = fieldAt(object, path);
    if (!isFields(spec) || (current !== undefined && object[part] === current[part])) return [];
    const containers = (list: string) =>
      listOf(spec[list]).flatMap(({ env }, index) => repeatedNames(env, `${at}.${list}[${index}].env`));
    return [
      ...listOf(spec['volumes']).flatMap((volume, index) =>
        removedSourceOf(volume, `${at}.volumes[${index}]`),
      ),
      ...containers('initContainers'),
      ...containers('containers'),
    ];
  };
}

/** Warnings for PersistentVolumes. */
export const volumeWarnings: NonNullable<KindRules['warnings']> = (object, current) => {
  const { spec } = object;
  return isFields(spec) && (current === undefined || spec !== current['spec'])
    ? removedSourceOf(spec, 'spec')
    : [];
};
