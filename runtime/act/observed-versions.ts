import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import type { Caches } from '../observe/caches.ts';
import { unitPods } from '../observe/objects.ts';
import { planResource } from '../observe/plan-resources.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { isMapOf, isWhole, parsedJson } from '../../semantics/values/json-shape.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Versioned } from './write-tracker.ts';

/** The observed versions that a revision was written after, as JSON by plural. */
const OBSERVED_VERSIONS_ANNOTATION = 'plan.kruise.io/seen';

/** The process that wrote a revision last, by its identity. */
const WRITER_ANNOTATION = 'plan.kruise.io/writer';

/** What a decision was made on, and by whom. */
export interface ObservedVersions {
  /** The newest version of each resource. */
  versions: ReadonlyMap<Resource, number>;
  /** The identity of this process; undefined: it has none, and looks for no other one. */
  writer?: string | undefined;
}

/**
 * Records in revisions depend on other objects: counters on the pods they count, progress on the plan and its pods. A
 * process or next leader whose caches are older must not act on such a record, or it would repeat actions.
 */
export function withObservedVersions<Body extends { metadata?: object }>(
  body: Body,
  { versions, writer }: ObservedVersions,
): Body {
  const metadata = { ...body.metadata } as { annotations?: object };
  const byPlural = Object.fromEntries([...versions].map(([resource, version]) => [resource.plural, version]));
  const annotations = {
    ...metadata.annotations,
    [OBSERVED_VERSIONS_ANNOTATION]: JSON.stringify(byPlural),
    ...(writer === undefined ? {} : { [WRITER_ANNOTATION]: writer }),
  };
  return { ...body, metadata: { ...metadata, annotations } };
}

/** The versions that one of the revisions was written after and that the caches do not show. */
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

/** The versions of the objects that a decision about a target depends on, from the caches. */
export function observedVersionsOf(
  caches: Pick<Caches, 'podsOf' | 'selectedBy' | 'isSelecting' | 'plansOf'>,
  key: TargetKey,
  target: KubeObject,
  writer?: string,
): ObservedVersions {
  const kind = kindOf(key);
  const versions = new Map([
    ...(kind === undefined ? [] : [[kind.resource, newestOf([target])] as const]),
    [resources.Pod, newestOf(unitPods(caches, key, target) ?? [])] as const,
    [planResource(key), newestOf(caches.plansOf(key))] as const,
  ]);
  return { versions, writer };
}

/** The newest revision that another process than this one has written. */
export function newestByAnother(
  revisions: readonly KubeObject[],
  own: string,
): { writer: string; version: number } | undefined {
  let newest: { writer: string; version: number } | undefined;
  for (const { metadata } of revisions) {
    const writer = metadata.annotations?.[WRITER_ANNOTATION] ?? own;
    const version = Number(metadata.resourceVersion);
    if (writer !== own && version > (newest?.version ?? 0)) newest = { writer, version };
  }
  return newest;
}

/** The newest of these objects. */
function newestOf(objects: readonly KubeObject[]): number {
  return objects.reduce(
    (most, { metadata }) => Math.max(most, Number(metadata.resourceVersion ?? 0) || 0),
    0,
  );
}

/** Cached objects are immutable, and targets are reconciled often. */
const read = new WeakMap<KubeObject, Readonly<Record<string, number>>>();

function versionsIn(revision: KubeObject): Readonly<Record<string, number>> {
  const known = read.get(revision) ?? parsed(revision.metadata.annotations?.[OBSERVED_VERSIONS_ANNOTATION]);
  read.set(revision, known);
  return known;
}

/** The annotation may have been edited: unreadable content counts as none. */
function parsed(text: string | undefined): Record<string, number> {
  if (text === undefined) return {};
  const value = parsedJson(text);
  return isMapOf(isWhole)(value) ? (value as Record<string, number>) : {};
}
