import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { podSpecWarnings, sourceWarnings, type FieldWarning } from '../../schemas/pods/podWarnings.ts';
import type { KindRules } from '../api/registry.ts';

function asText({ field, detail }: FieldWarning): string {
  return `${field}: ${detail}`;
}

/** Warnings for kinds with a pod spec at `path`: for new objects and for changes of the spec. */
export function podWarnings(path: readonly string[]): NonNullable<KindRules['warnings']> {
  const part = path[0] ?? '';
  return (object, current) => {
    const spec = fieldAt(object, path);
    if (!isFields(spec) || (current !== undefined && object[part] === current[part])) return [];
    return podSpecWarnings(spec, path.join('.')).map(asText);
  };
}

/** Warnings for PersistentVolumes. */
export const volumeWarnings: NonNullable<KindRules['warnings']> = (object, current) => {
  const { spec } = object;
  return isFields(spec) && (current === undefined || spec !== current['spec'])
    ? sourceWarnings(spec, 'spec').map(asText)
    : [];
};
