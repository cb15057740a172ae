import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Creator } from '../kinds/kind.ts';
import type { Need } from '../kinds/need.ts';
import { controllerOf, groupKindOf, isOwnedBy } from '../owner.ts';
import type { Origin } from '../plan/rollout-view.ts';
import type { Share } from '../plan/share.ts';
import { templateHash } from '../template/canonical.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { hasFields, isOptional, isText, isWhole, parsedJson } from '../values/json-shape.ts';
import { recordedShares } from './share-records.ts';
import { SIZE_ANNOTATION, SUBSET_LABEL, SUBSET_PATCH_ANNOTATION } from './subset-keys.ts';

/** The share of a child, on the child: written together with its template and its partition. */
export const SHARE_ANNOTATION = 'plan.kruise.io/share';

/** A share as it stands on a child. Its own revisions are those of the child. */
export interface WrittenShare {
  share: Share;
  /** The same revisions of its root, by hash. */
  root: {
    goal: string;
    stable: string;
    /** The goal before this one; undefined: there was none. */
    before: string | undefined;
    /** The generation of the child since which it has this goal. */
    since: number;
    /** How many of its pods it may have been allowed at this goal until it has observed its present spec. */
    atMost: number;
  };
}

/** The text of the annotation. */
export function shareText({ share, root }: WrittenShare): string {
  const { before, ...revisions } = root;
  const content = { share: { ...share }, root: { ...revisions, ...(before !== undefined && { before }) } };
  return canonicalJson(content);
}

/** Parses the annotation; undefined: there is none, or it was not written by `shareText`. */
export function readShare({ metadata }: KubeObject): WrittenShare | undefined {
  const text = metadata.annotations?.[SHARE_ANNOTATION] ?? '';
  const parsed = parsedJson(text);
  if (!hasFields(parsed, { share: isShare, root: isRoot })) return undefined;
  const written = parsed as unknown as WrittenShare;
  return shareText(written) === text ? written : undefined;
}

function isShare(value: unknown): boolean {
  const isWindow = (window: unknown): boolean =>
    hasFields(window, { maxUnavailable: isOptional(isWhole), maxSurge: isOptional(isWhole) });
  const isFlag = (flag: unknown): boolean => typeof flag === 'boolean';
  return hasFields(value, {
    goal: isText,
    stable: isText,
    allowed: isWhole,
    moving: isFlag,
    window: isWindow,
    mode: isText,
  });
}

function isRoot(value: unknown): boolean {
  return hasFields(value, {
    goal: isText,
    stable: isText,
    before: isOptional(isText),
    since: isWhole,
    atMost: isWhole,
  });
}

/** Identifies a share: 32 hex digits. */
export function shareDigest(text: string): string {
  return templateHash({ share: text }).slice('h1:'.length);
}

/** The kind and name of the root that an object says to have a share of, for messages; undefined: it does not say so. */
export function namedRoot(child: KubeObject): string | undefined {
  const owner = controllerOf(child);
  const isChild = owner !== undefined && child.metadata.annotations?.[SHARE_ANNOTATION] !== undefined;
  return isChild ? `${owner.kind} ${owner.name}` : undefined;
}

/** An object without what its root writes on it, and no user. One without a controller is no child, and has none of it. */
export function withoutShare(child: KubeObject): KubeObject {
  if (controllerOf(child) === undefined) return child;
  const {
    [SHARE_ANNOTATION]: share,
    [SUBSET_PATCH_ANNOTATION]: patch,
    [SIZE_ANNOTATION]: size,
    ...annotations
  } = child.metadata.annotations ?? {};
  const { [SUBSET_LABEL]: subset, ...labels } = child.metadata.labels ?? {};
  if ([share, patch, size, subset].every((each) => each === undefined)) return child;
  return { ...child, metadata: { ...child.metadata, annotations, labels } };
}

/** What a child with a share reads of its root: whether that has it on record. */
export function rootNeeds(child: KubeObject): Need[] {
  const owner = controllerOf(child);
  if (owner === undefined || child.metadata.annotations?.[SHARE_ANNOTATION] === undefined) return [];
  const { namespace = '' } = child.metadata;
  return [{ of: 'Creator', controller: groupKindOf(owner), namespace, name: owner.name }];
}

/**
 * Whether another target gives a child its share. Anybody who may create an object may name a controller, and write an annotation:
 * only a share that the root has on record counts, and only for the template that it is about.
 *
 * @param liveHash of the template of the child
 * @param creator the target that the child names as its controller; undefined: there is none, or it is not managed
 */
export function originOfChild(child: KubeObject, liveHash: string, creator: Creator | undefined): Origin {
  const owner = controllerOf(child);
  const text = child.metadata.annotations?.[SHARE_ANNOTATION];
  if (owner === undefined || text === undefined) return { by: 'user' };
  const root = `${owner.kind} ${owner.name}`;
  const unproven = (why: string): Origin => ({ by: 'unproven', why });
  if (creator === undefined) return unproven(`${root} does not exist, or is not managed`);
  const { target, revisions } = creator;
  if (!isOwnedBy(child, target)) return unproven(`${root} is another one, of a later time`);
  if (target.metadata.deletionTimestamp !== undefined) return unproven(`${root} is being deleted`);
  const written = readShare(child);
  const isRecorded = recordedShares(revisions).get(child.metadata.name)?.includes(shareDigest(text)) === true;
  if (written === undefined || !isRecorded)
    return unproven(`${root} has not recorded that it gives it this share`);
  if (written.share.goal !== liveHash) return unproven(`its template is not the one that ${root} gives it`);
  return { by: 'root', root, share: written.share };
}
