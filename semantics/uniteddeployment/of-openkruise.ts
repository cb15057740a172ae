import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { SUBSET_LABEL } from '../children/subset-keys.ts';
import { revise } from '../revision/revise.ts';
import { COMPLETE_ANNOTATION, type History, revisionOf, stableRevision } from '../revision/revision.ts';
import { templateOf } from '../revision/revisions.ts';
import { annotateRevision } from '../revision/writes.ts';
import { templateHash } from '../template/canonical.ts';
import { byAge } from '../values/by-age.ts';
import { isObject } from '../values/json-shape.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { objectOf, textOf } from '../values/read.ts';
import { childName } from './child.ts';
import { normalizeUnited } from './normalize.ts';
import { FIELDS } from './resource.ts';

/** The label of a child with the name of the revision of its root that OpenKruise has given it. */
const REVISION_OF_ROOT = 'apps.kruise.io/controller-revision-hash';

/** Whether OpenKruise has made a revision: it holds the templates of children, not of their pods. */
export function isOfOpenKruise(revision: KubeObject): boolean {
  const template = templateOf(revision);
  return FIELDS.some((field) => isObject(template[field]));
}

/**
 * The content of a revision of OpenKruise as one of this project. Its patches are those of the manifest: OpenKruise keeps none of earlier
 * ones.
 */
export function contentOf(target: KubeObject, revision: KubeObject): JsonObject {
  const spec = { ...objectOf(target['spec']), template: templateOf(revision) };
  return normalizeUnited({ ...target, spec }).template;
}

/** The subset of a child, as its selector has it: what it selects, no label on it changes. */
export function subsetOfChild({ metadata, spec }: KubeObject): string | undefined {
  const { matchLabels } = objectOf(objectOf(spec)['selector']);
  return textOf(objectOf(matchLabels)[SUBSET_LABEL]) || metadata.labels?.[SUBSET_LABEL];
}

/**
 * The child of a subset: the one on record, under whichever name. OpenKruise gives it letters that the server has chosen. Of two of one
 * subset the older one stays (OpenKruise uniteddeployment, rule 6.1).
 *
 * @param isKnown whether a child is on record, or is to be
 */
export function childOfSubset(
  target: KubeObject,
  subset: string,
  children: readonly KubeObject[],
  isKnown: (child: KubeObject) => boolean,
): KubeObject | undefined {
  const name = childName(target, subset);
  const derived = children.find(({ metadata }) => metadata.name === name);
  if (derived !== undefined && isKnown(derived)) return derived;
  const [first] = children.filter((child) => isKnown(child) && subsetOfChild(child) === subset).sort(byAge);
  return first ?? derived;
}

/** What is read of revisions of OpenKruise. */
export interface OfOpenKruise {
  /** Its revisions, by their names, with the hash of what they hold. */
  hashes: ReadonlyMap<string, string>;
  /** What the target was last complete on, as OpenKruise has counted; undefined: that has no revision. */
  current: JsonObject | undefined;
}

export function readOpenKruise(target: KubeObject, revisions: readonly KubeObject[]): OfOpenKruise {
  const { currentRevision } = objectOf(target['status']);
  const contents = revisions.map((each) => [each.metadata.name, contentOf(target, each)] as const);
  return {
    hashes: new Map(contents.map(([name, content]) => [name, templateHash(content)])),
    current: contents.find(([name]) => name === currentRevision)?.[1],
  };
}

/**
 * The writes of revisions of a target whose children OpenKruise has made: those that it was last complete on and that it has now are
 * written anew, in this order, and the first one is stable. So what OpenKruise has begun is a rollout that waits for its plan.
 */
export function reviseAdopted(history: History, { current }: OfOpenKruise): Action[] {
  const { liveHash, spec } = history;
  const units = { exist: true, counted: () => [] };
  if (stableRevision(history) === undefined) {
    const hash = current === undefined ? liveHash : templateHash(current);
    if (current !== undefined && revisionOf(history, hash) === undefined)
      return revise({ ...history, spec: { ...spec, template: current }, liveHash: hash }, units);
    const stable = revisionOf(history, hash);
    if (stable !== undefined && revisionOf(history, liveHash) !== undefined)
      return [
        annotateRevision(stable, 'mark stable', { [COMPLETE_ANNOTATION]: '1' }, 'adopts the existing pods'),
      ];
  }
  return revise(history, units);
}

/** Which revision of its root a child of OpenKruise is at, by hash; undefined: it is none of those that are read. */
export function rootRevisionOf({ metadata }: KubeObject, { hashes }: OfOpenKruise): string | undefined {
  return hashes.get(metadata.labels?.[REVISION_OF_ROOT] ?? '');
}
