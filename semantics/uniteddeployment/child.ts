import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { SUBSET_LABEL, SUBSET_PATCH_ANNOTATION } from '../children/subset-keys.ts';
import { cloneSetResource } from '../cloneset/resource.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import type { NormalUnited } from './normalize.ts';

/** The name of the child of a subset. */
export function childName({ metadata }: Pick<KubeObject, 'metadata'>, subset: string): string {
  return `${metadata.name}-${subset}`;
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
  { labels, annotations, childSpec, selector }: NormalUnited,
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
      ...childSpec,
      replicas: size,
      selector: { ...selector, matchLabels } as unknown as JsonObject,
      template,
      updateStrategy: strategyOf(objectOf(childSpec['updateStrategy']), partition),
    },
  };
}

/**
 * The strategy in the layout of v1beta1, whichever layout the template has: definitions have defaults in the other one, and the fields
 * of this one take precedence.
 */
function strategyOf({ type, rollingUpdate, ...flat }: JsonObject, partition: number): JsonObject {
  const isPolicy = type === 'ReCreate' || type === 'InPlaceIfPossible' || type === 'InPlaceOnly';
  return {
    type: type === 'OnDelete' ? type : 'RollingUpdate',
    rollingUpdate: {
      ...(isPolicy && { podUpdatePolicy: type }),
      ...flat,
      ...objectOf(rollingUpdate),
      partition,
    },
  };
}

/** A child as the rules of its kind read it from git, of the whole target. */
export function childInGit(target: KubeObject, { replicas, childSpec }: NormalUnited): KubeObject {
  const { group, version, kind } = cloneSetResource;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { ...target.metadata },
    spec: { ...childSpec, replicas },
  };
}

/**
 * A merge patch by which a spec becomes another one; undefined: it has all of it. What only the server has added stays: defaults of the
 * definition, which are outside of templates.
 */
export function specPatch(now: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const stays = new Set(['revisionHistoryLimit']);
  const patch = changes(now, wanted, (path) => path.length === 1 && stays.has(path[0] ?? ''));
  const strategy = objectOf(patch['updateStrategy']);
  // Defaults beside the type are those of the other layout.
  for (const [field, value] of Object.entries(strategy)) if (value === null) delete strategy[field];
  const rolling = objectOf(strategy['rollingUpdate']);
  if (rolling['inPlaceUpdateStrategy'] === null) delete rolling['inPlaceUpdateStrategy'];
  if (isObject(strategy['rollingUpdate']) && Object.keys(rolling).length === 0)
    delete strategy['rollingUpdate'];
  if (isObject(patch['updateStrategy']) && Object.keys(strategy).length === 0) delete patch['updateStrategy'];
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
