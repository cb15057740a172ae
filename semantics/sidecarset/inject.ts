import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Injection, InjectionInput } from '../kinds/pod-injector.ts';
import { isMirror } from '../pod/mirror.ts';
import { CONTAINER_LISTS, ownParts } from '../pod/own-parts.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timestamp } from '../values/timestamp.ts';
import { containerClashes } from './clashes.ts';
import { injectedNames } from './conflicts.ts';
import { type InjectedContainers, injectedContainers } from './injected-containers.ts';
import { type InjectedRevision, revisionToInject } from './injected-revision.ts';
import type { Sidecar } from './normalize.ts';
import { withPatches, withRecords } from './pod-annotations.ts';
import { resourcesFor } from './resources.ts';
import { readSets, selectSets } from './select.ts';

/**
 * Injects sets into a pod that is created (OpenKruise sidecarset, rules 6.1 to 6.6). Pure: webhook, compiler and tests call
 * it. A pod that no set matches, one that has ended or is being deleted, and the mirror of a static pod come back as they are.
 * Injecting the same sets once more changes nothing.
 */
export function injectSidecars(input: InjectionInput): Injection {
  const { pod, namespace, sets } = input;
  if (!isActive(pod) || isMirror(pod)) return { pod, injected: [], skipped: [] };
  const { matched, skipped } = selectSets(pod, namespace, readSets(sets), input.published);
  const revisions: InjectedRevision[] = [];
  for (const each of matched) {
    const published = input.published.get(each.set.name);
    const name = published?.is === 'revision' ? published.name : undefined;
    const found = revisionToInject(each, pod, input.revisions, name, input.requestId);
    if ('refused' in found) return { refused: refusal(each.set.name, found.refused) };
    revisions.push(found);
  }
  if (revisions.length === 0) return { pod, injected: [], skipped };
  const changed = changedPod(pod, revisions, timestamp(input.now), input.sortsContainers);
  if ('refused' in changed) return changed;
  const injected = revisions.map(({ set, revision, hash, reason }) => ({
    set: set.name,
    revision,
    hash,
    reason,
  }));
  return { pod: changed.pod, injected, skipped };
}

function isActive(pod: KubeObject): boolean {
  const { phase } = objectOf(pod['status']);
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
}

function refusal(set: string, why: string): string {
  return `SidecarSet ${set} cannot be injected: ${why}`;
}

function changedPod(
  pod: KubeObject,
  revisions: readonly InjectedRevision[],
  time: string,
  sortsContainers: boolean,
): { pod: KubeObject } | { refused: string } {
  let annotations: Record<string, string> = { ...pod.metadata.annotations };
  for (const { set, patchPodMetadata } of revisions) {
    const patched = withPatches(annotations, patchPodMetadata);
    if ('refused' in patched) return { refused: refusal(set.name, patched.refused) };
    ({ annotations } = patched);
  }
  const clash = nameOfOwn(pod, revisions);
  if (clash !== undefined) return { refused: refusal(clash.set, clash.why) };
  const made = allContainers(pod, revisions);
  if ('refused' in made) return made;
  const twice = nameOfTwo(revisions);
  if (twice !== undefined) return { refused: refusal(twice.set, twice.why) };
  const recorded = withRecords(annotations, revisions, time);
  if ('refused' in recorded) return { refused: `SidecarSets cannot be injected: ${recorded.refused}` };
  const spec = objectOf(pod['spec']);
  const initContainers = merged(listOf(spec['initContainers']), sorted(made.initContainers));
  const containers = merged(
    listOf(spec['containers']),
    sortsContainers ? sorted(made.containers) : made.containers,
  );
  const volumes = withNew(listOf(spec['volumes']), made.volumes);
  const secrets = withNew(
    [],
    [...listOf(spec['imagePullSecrets']), ...revisions.flatMap((each) => each.imagePullSecrets)],
  );
  return {
    pod: {
      ...pod,
      metadata: { ...pod.metadata, annotations: recorded.annotations },
      spec: {
        ...spec,
        ...(initContainers.length > 0 && { initContainers }),
        containers,
        ...(volumes.length > 0 && { volumes }),
        ...(secrets.length > 0 && { imagePullSecrets: secrets }),
      },
    },
  };
}

interface Made {
  initContainers: InjectedContainers[];
  containers: InjectedContainers[];
  volumes: JsonObject[];
}

function allContainers(pod: KubeObject, revisions: readonly InjectedRevision[]): Made | { refused: string } {
  const declared = new Set(
    revisions
      .flatMap((each) => [...each.initContainers, ...each.containers])
      .flatMap(({ name, emptyImage }) => injectedNames(name, emptyImage)),
  );
  const made: Made = { initContainers: [], containers: [], volumes: [] };
  for (const revision of revisions)
    for (const list of ['initContainers', 'containers'] as const)
      for (const sidecar of revision[list]) {
        const resources = ownResources(sidecar, pod, declared);
        if ('refused' in resources) return { refused: refusal(revision.set.name, resources.refused) };
        const each = injectedContainers(sidecar, pod, resources.resources);
        made[list].push(each);
        for (const name of each.volumes)
          made.volumes.push(...revision.volumes.filter((volume) => volume['name'] === name));
      }
  return made;
}

/** A container that two sets have: the API server would refuse the pod, and would not name the sets. */
function nameOfTwo(revisions: readonly InjectedRevision[]): { set: string; why: string } | undefined {
  const first = new Map<string, string>();
  for (const { set, initContainers, containers } of revisions)
    for (const { name, emptyImage } of [...initContainers, ...containers])
      for (const each of injectedNames(name, emptyImage)) {
        const other = first.get(each);
        if (other !== undefined && other !== set.name)
          return { set: set.name, why: `SidecarSet ${other} has a container ${each}, too` };
        first.set(each, set.name);
      }
  return undefined;
}

/** A container that the pod has of its own: the set would run in its place (`clashes.ts`). */
function nameOfOwn(
  pod: KubeObject,
  revisions: readonly InjectedRevision[],
): { set: string; why: string } | undefined {
  const own = ownParts(pod['spec']);
  for (const revision of revisions)
    for (const { own: container } of containerClashes(revision)(own)) {
      const what = CONTAINER_LISTS[container.list];
      return { set: revision.set.name, why: `the pod has the ${what} ${container.name} of its own` };
    }
  return undefined;
}

function ownResources(
  { name, resourcesPolicy }: Sidecar,
  pod: KubeObject,
  declared: ReadonlySet<string>,
): { resources: JsonObject | undefined } | { refused: string } {
  if (resourcesPolicy === undefined) return { resources: undefined };
  const found = resourcesFor(resourcesPolicy, objectOf(pod['spec']), declared);
  return 'refused' in found ? { refused: `container ${name} gets no resources: ${found.refused}` } : found;
}

/** Sorted by the names of the containers; a stable order (rule 6.2.3). */
function sorted(injected: readonly InjectedContainers[]): InjectedContainers[] {
  return [...injected].sort((a, b) => compareCodePoints(nameOf(a), nameOf(b)));
}

function nameOf({ containers: [first] }: InjectedContainers): string {
  return textOf(first?.['name']);
}

/** One that was injected before is replaced at its place; the others come before or after those of the pod (rule 6.2.4). */
function merged(own: readonly JsonObject[], injected: readonly InjectedContainers[]): JsonObject[] {
  const list = [...own];
  const before: JsonObject[] = [];
  const after: JsonObject[] = [];
  for (const { containers, isBefore } of injected)
    for (const container of containers) {
      const index = list.findIndex(({ name }) => name === container['name']);
      if (index >= 0) list[index] = container;
      else (isBefore ? before : after).push(container);
    }
  return [...before, ...list, ...after];
}

/** A list with those items whose names it does not have yet. */
function withNew(own: readonly JsonObject[], added: readonly JsonObject[]): JsonObject[] {
  const names = new Set(own.map(({ name }) => name));
  const list = [...own];
  for (const each of added) {
    if (names.has(each['name'])) continue;
    names.add(each['name']);
    list.push(each);
  }
  return list;
}
