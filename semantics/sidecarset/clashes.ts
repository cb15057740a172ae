import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InjectionClash } from '../kinds/pod-injector.ts';
import type { ContainerList, OwnParts } from '../pod/own-parts.ts';
import { canonicalJson, compareCodePoints } from '../values/canonical-json.ts';
import { listOf, textOf } from '../values/read.ts';
import { type Injectable, normalizeSidecarSet, type Sidecar } from './normalize.ts';

type Clash<Of extends InjectionClash['of']> = Extract<InjectionClash, { of: Of }>;

const LISTS: readonly ContainerList[] = ['initContainers', 'containers'];

/**
 * The parts of a set under names that a pod has of its own. OpenKruise replaces a container of the pod (rule 6.2.4), so that the
 * application does not run, and lets a volume of the pod count (rule 6.2.5). One name in both lists of containers makes a pod
 * that the API server refuses. A paused set adds nothing.
 */
export function clashesOfSet(object: KubeObject): (own: OwnParts) => InjectionClash[] {
  const set = normalizeSidecarSet(object);
  if (set.injectionPaused) return () => [];
  const ofContainers = containerClashes(set);
  const ofVolumes = volumeClashes(set);
  return (own) => [...ofContainers(own), ...ofVolumes(own)];
}

/** Those of containers, of each of which the pod is refused. */
export function containerClashes(
  set: Pick<Injectable, ContainerList>,
): (own: Pick<OwnParts, 'containers'>) => Clash<'container'>[] {
  const added = new Map<string, string[][]>();
  for (const list of LISTS)
    for (const [index, sidecar] of set[list].entries())
      for (const name of namesInPod(sidecar))
        added.set(name, [...(added.get(name) ?? []), ['spec', list, String(index), 'name']]);
  return ({ containers }) =>
    containers.flatMap((own) =>
      (added.get(own.name) ?? []).map((path) => ({ of: 'container' as const, path, own })),
    );
}

/** A volume that no container of the set mounts is not injected. */
function volumeClashes(set: Injectable): (own: OwnParts) => Clash<'volume'>[] {
  const mounted = new Set(
    LISTS.flatMap((list) =>
      set[list].flatMap(({ container }) =>
        [...listOf(container['volumeMounts']), ...listOf(container['volumeDevices'])].map(({ name }) => name),
      ),
    ),
  );
  const added = new Map(
    set.volumes.flatMap((volume, index) => {
      const name = textOf(volume['name']);
      const path = ['spec', 'volumes', String(index), 'name'];
      return mounted.has(name) ? [[name, { path, content: canonicalJson(volume) }] as const] : [];
    }),
  );
  return ({ volumes }) =>
    volumes.flatMap((own) => {
      const name = textOf(own['name']);
      const found = added.get(name);
      return found === undefined || found.content === canonicalJson(own)
        ? []
        : [{ of: 'volume' as const, path: found.path, name }];
    });
}

/** The names of the containers that one sidecar becomes: the two halves of a hot pair. */
function namesInPod({ name, emptyImage }: Sidecar): string[] {
  return emptyImage === undefined ? [name] : [`${name}-1`, `${name}-2`];
}

/**
 * The order in which the init containers of a set run in a pod, if it is not that of the list: by their names (rule 6.2.3), those
 * before the pod's own for themselves.
 */
export function initOrderOfSet(object: KubeObject): string[] | undefined {
  const { initContainers } = normalizeSidecarSet(object);
  const blocks = [true, false].map((isBefore) =>
    initContainers.filter((each) => each.isBefore === isBefore).flatMap((each) => namesInPod(each)[0] ?? []),
  );
  const sorted = blocks.map((names) => [...names].sort(compareCodePoints));
  return canonicalJson(sorted) === canonicalJson(blocks) ? undefined : sorted.flat();
}
