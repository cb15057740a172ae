import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Locate, valueAt } from './schema-errors.ts';
import { isReplaced } from './template-rules.ts';

/** A mount of a volume that the pod does not have. */
interface LooseMount {
  volume: string;
  /** Below the template. */
  path: string[];
}

/**
 * Reports mounts without a volume or claim. Where subsets patch the template, each one counts with its patch: the volume of a mount may
 * come with it, or go.
 *
 * @param claims the names of the claim templates
 * @param pod the path of the spec of pods in the manifest
 */
export function mountRules(
  { units, template }: Pick<GitManifest, 'units' | 'template'>,
  claims: ReadonlySet<string>,
  pod: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const loose = looseMounts(template, claims);
  const subsets = units.of === 'subsets' ? units.patched() : [];
  const isBare = units.of !== 'subsets' || subsets.length === 0 || subsets.length < units.list.length;
  const patched = subsets.map(({ name, path, template: own }) => {
    const volumes = new Set(looseMounts(own, claims).map(({ volume }) => volume));
    return { subset: name, path, volumes };
  });
  const known = new Set(loose.map(({ volume }) => volume));
  return [
    ...loose.flatMap(({ volume, path }) => {
      const subset = isBare ? undefined : patched.find(({ volumes }) => volumes.has(volume))?.subset;
      if (!isBare && subset === undefined) return [];
      return [diagnostic('KR2148', { volume, subset }, locate([...pod, ...path], 'value'))];
    }),
    ...patched.flatMap(({ subset, path, volumes }) =>
      [...volumes]
        .filter((volume) => !known.has(volume))
        .map((volume) => diagnostic('KR2148', { volume, subset }, locate(path, 'key'))),
    ),
  ];
}

function looseMounts(template: unknown, claims: ReadonlySet<string>): LooseMount[] {
  const volumes = new Set([...claims, ...namesOf(valueAt(template, ['spec', 'volumes']))]);
  const found: LooseMount[] = [];
  for (const list of ['initContainers', 'containers'])
    for (const [index, container] of items(valueAt(template, ['spec', list])).entries())
      for (const kind of ['volumeMounts', 'volumeDevices'])
        for (const [mount, volume] of namesOf(valueAt(container, [kind])).entries()) {
          if (volume === undefined || isReplaced(volume) || volumes.has(volume)) continue;
          found.push({ volume, path: [list, String(index), kind, String(mount), 'name'] });
        }
  return found;
}

/** The names of the items of a list; undefined for each that has none. */
export function namesOf(list: unknown): (string | undefined)[] {
  return items(list).map((item) => {
    const name = valueAt(item, ['name']);
    return typeof name === 'string' ? name : undefined;
  });
}

function items(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [];
}
