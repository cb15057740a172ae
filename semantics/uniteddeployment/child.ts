import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { SUBSET_LABEL, SUBSET_PATCH_ANNOTATION } from '../children/subset-keys.ts';
import { templateHash } from '../template/canonical.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import type { ChildKind } from './child-kind.ts';
import { childKindOf } from './child-kinds.ts';
import type { NormalUnited } from './normalize.ts';

/** The name of the child of a subset. */
export function childName({ metadata }: Pick<KubeObject, 'metadata'>, subset: string): string {
  return `${metadata.name}-${subset}`;
}

/** How many pods a child is to have so far. */
export function sizeOf(child: KubeObject | undefined): number {
  return numberOf(objectOf(child?.['spec'])['replicas']) ?? 0;
}

/** What a child is to be beyond the template of its root. */
export interface ChildParts {
  subset: string;
  size: number;
  /** How many of its pods stay on the revision before. */
  partition: number;
  template: JsonObject;
  /** Undefined: its subset has none. */
  patch: JsonObject | undefined;
}

/** Labels, annotations and spec of the child of a subset (OpenKruise uniteddeployment, rule 6.7). */
export function childContent(
  { field, labels, annotations, childSpec, selector }: NormalUnited,
  { subset, size, partition, template, patch }: ChildParts,
): { labels: JsonObject; annotations: JsonObject; spec: JsonObject } {
  const matchLabels = { ...selector.matchLabels, [SUBSET_LABEL]: subset };
  return {
    labels: { ...labels, ...matchLabels },
    annotations: {
      ...annotations,
      [SUBSET_PATCH_ANNOTATION]: patch === undefined ? '' : canonicalJson(patch),
    },
    spec: {
      ...childKindOf(field).spec(childSpec, partition),
      replicas: size,
      selector: { ...selector, matchLabels } as unknown as JsonObject,
      template,
    },
  };
}

/** A child as the rules of its kind read it from git, of the whole target. */
export function childInGit(target: KubeObject, { field, replicas, childSpec }: NormalUnited): KubeObject {
  const { group, version, kind } = childKindOf(field).resource;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { ...target.metadata },
    spec: { ...childSpec, replicas },
  };
}

/**
 * A merge patch by which the spec of a child becomes another one; undefined: it has all of it. A template that means the same stays as
 * the server has stored it.
 *
 * @param filledIn paths of fields that stay as they are where the other spec has none: the server fills them in
 * @param writtenOnce fields that stay as they are
 */
export function specPatch(
  now: JsonObject,
  wanted: JsonObject,
  { filledIn, writtenOnce, unfilled }: Pick<ChildKind, 'filledIn' | 'writtenOnce' | 'unfilled'>,
): JsonObject | undefined {
  const hashOf = ({ template }: JsonObject): string => templateHash(unfilled(objectOf(template), undefined));
  const isSame = hashOf(now) === hashOf(wanted);
  const kept = new Set([...writtenOnce, ...(isSame ? ['template'] : [])]);
  const others = (spec: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(spec).filter(([key]) => !kept.has(key)));
  const stays = new Set(filledIn.map((path) => path.join(' ')));
  const patch = changes(others(now), others(wanted), (path) => stays.has(path.join(' ')));
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function changes(
  now: JsonObject,
  wanted: JsonObject,
  stays: (path: readonly string[]) => boolean,
  at: readonly string[] = [],
): JsonObject {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(now), ...Object.keys(wanted)])) {
    const [before, after] = [now[key], wanted[key]];
    const path = [...at, key];
    if (after === undefined || after === null) {
      if (before !== undefined && before !== null && !stays(path)) patch[key] = null;
    } else if (isObject(before) && isObject(after)) {
      const inner = changes(objectOf(before), objectOf(after), stays, path);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (canonicalJson(before ?? null) !== canonicalJson(after)) patch[key] = after;
  }
  return patch;
}
