import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import type { Caches } from '../observe/caches.ts';
import { unitPods } from '../observe/objects.ts';
import { planResource } from '../observe/plan-resources.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { isMapOf, isWhole, parsedJson } from '../../semantics/values/json-shape.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Versioned } from './write-tracker.ts';

/** The newest versions of what a target is decided on, by resource, that whoever wrote a revision had seen. */
const SEEN_ANNOTATION = 'plan.kruise.io/seen';

/** The newest version of each resource that a decision was made on. */
export type ObservedVersions = ReadonlyMap<Resource, number>;

/**
 * What is remembered in revisions was decided on objects: counters after the pods they count, progress after the plan
 * and the pods it is about. Another process, or the next leader, whose caches are older than that must not act on what is
 * remembered, or it would do the same again.
 */
export function withObservedVersions<Body extends { metadata?: object }>(
  body: Body,
  seen: ObservedVersions,
): Body {
  const metadata = { ...body.metadata } as { annotations?: object };
  const versions = Object.fromEntries([...seen].map(([resource, version]) => [resource.plural, version]));
  const annotations = { ...metadata.annotations, [SEEN_ANNOTATION]: JSON.stringify(versions) };
  return { ...body, metadata: { ...metadata, annotations } };
}

/** The versions that one of the revisions was written after, and that the caches do not show. */
export function staleResources(
  revisions: readonly KubeObject[],
  of: readonly Resource[],
  versionOf: (resource: Resource) => number,
): Versioned[] {
  const ahead: Versioned[] = [];
  for (const revision of revisions) {
    const versions = versionsIn(revision);
    for (const resource of of) {
      const version = versions[resource.plural] ?? 0;
      if (version > versionOf(resource)) ahead.push({ resource, version });
    }
  }
  return ahead;
}

/** What a look at a target is made of, as far as the caches show it now. */
export function observedVersionsOf(
  caches: Pick<Caches, 'podsOf' | 'selectedBy' | 'isSelecting' | 'plansOf'>,
  key: TargetKey,
  target: KubeObject,
): ObservedVersions {
  const kind = kindOf(key);
  return new Map([
    ...(kind === undefined ? [] : [[kind.resource, newestOf([target])] as const]),
    [resources.Pod, newestOf(unitPods(caches, key, target) ?? [])] as const,
    [planResource(key), newestOf(caches.plansOf(key))] as const,
  ]);
}

/** The newest of these objects. */
function newestOf(objects: readonly KubeObject[]): number {
  return objects.reduce(
    (most, { metadata }) => Math.max(most, Number(metadata.resourceVersion ?? 0) || 0),
    0,
  );
}

/** An object is immutable once seen, and a target is looked at often. */
const read = new WeakMap<KubeObject, Readonly<Record<string, number>>>();

function versionsIn(revision: KubeObject): Readonly<Record<string, number>> {
  const known = read.get(revision) ?? parsed(revision.metadata.annotations?.[SEEN_ANNOTATION]);
  read.set(revision, known);
  return known;
}

/** Somebody may have edited it: what cannot be read says nothing. */
function parsed(text: string | undefined): Record<string, number> {
  if (text === undefined) return {};
  const value = parsedJson(text);
  return isMapOf(isWhole)(value) ? (value as Record<string, number>) : {};
}
