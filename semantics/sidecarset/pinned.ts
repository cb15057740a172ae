import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { listed } from '../values/listed.ts';
import { readCounter } from '../values/counter.ts';
import { COMPLETE_ANNOTATION, RETAINED_ANNOTATION } from '../revision/revision.ts';
import { type NormalSidecarSet, normalizeSidecarSet } from './normalize.ts';
import { CUSTOM_VERSION_LABEL, PARTIAL_ANNOTATION, SET_NAME_LABEL } from './resource.ts';

const FIELD = 'spec.injectionStrategy.revision';
const PATH = FIELD.split('.');
/** How many revisions are named, the newest first. */
const MOST_NAMED = 5;

/** What a set pins: a revision; one that does not count yet, by its name; or none that exists, as a clause with what to do. */
export type Pin = { revision: KubeObject } | { unfinished: string } | { missing: string };

/**
 * The revision that a set pins: by name, or the newest one of its custom version (OpenKruise sidecarset, rule 6.4.2). Only one counts that
 * the set was complete on at some time, for all pods and not only for those that a bound let have it: a commit that pins its own
 * change would give it to new pods ahead of its plan. A revision of another set is none.
 *
 * @param revisions the ControllerRevisions of any set
 */
export function pinnedRevision(
  { name, pinned }: NormalSidecarSet,
  revisions: readonly KubeObject[],
): Pin | undefined {
  if (pinned === undefined) return undefined;
  const own = revisions
    .filter(({ metadata }) => metadata.labels?.[SET_NAME_LABEL] === name)
    .sort((a, b) => (numberOf(b['revision']) ?? 0) - (numberOf(a['revision']) ?? 0));
  const { name: wanted, customVersion } = pinned;
  const meant = own.filter(({ metadata }) =>
    wanted === undefined
      ? metadata.labels?.[CUSTOM_VERSION_LABEL] === customVersion
      : metadata.name === wanted,
  );
  const found = meant.find(wasComplete);
  if (found !== undefined) return { revision: found };
  const [unfinished] = meant;
  if (unfinished !== undefined) return { unfinished: unfinished.metadata.name };
  const what =
    wanted === undefined
      ? `the custom version ${customVersion}, which no revision has`
      : `the revision ${wanted}, which does not exist`;
  return {
    missing: `${FIELD} pins ${what}, so that every pod that the set selects is refused; ${wayOut(own)}`,
  };
}

function wasComplete({ metadata: { annotations = {} } }: KubeObject): boolean {
  return (
    readCounter(annotations[COMPLETE_ANNOTATION]) !== undefined &&
    annotations[PARTIAL_ANNOTATION] === undefined &&
    annotations[RETAINED_ANNOTATION] === undefined
  );
}

function wayOut(own: readonly KubeObject[]): string {
  if (own.length === 0) return 'the set has no revision yet: remove the field';
  const names = own.slice(0, MOST_NAMED).map(({ metadata }) => metadata.name);
  const rest = own.length - names.length;
  const those = rest === 0 ? listed(names, 'or') : `${names.join(', ')} and ${rest} more`;
  return `pin one that exists (${those}), or remove the field`;
}

/**
 * Why a set cannot be carried out for what it pins; none: it can. Its own custom version exists as soon as the set is on record.
 *
 * @param revisions the ControllerRevisions of the set
 */
export function missingPin(set: NormalSidecarSet, revisions: readonly KubeObject[]): string[] {
  const { pinned, customVersion } = set;
  if (pinned?.name === undefined && pinned?.customVersion === customVersion) return [];
  const found = pinnedRevision(set, revisions);
  return found !== undefined && 'missing' in found ? [found.missing] : [];
}

/** A pin without a name and a version, or with a name that no revision of the set can have: it is that of the set, and a hash. */
export function invalidPin(target: KubeObject): InvalidField[] {
  const { name, pinned } = normalizeSidecarSet(target);
  const { revision } = objectOf(objectOf(target['spec'])['injectionStrategy']);
  if (pinned === undefined)
    return isObject(revision)
      ? [
          {
            path: PATH,
            rule: 'must have revisionName or customVersion',
            help: 'name the revision, or leave revision out to inject the newest one',
          },
        ]
      : [];
  const wanted = pinned.name;
  if (wanted === undefined) return [];
  const isOwn = wanted.startsWith(`${name}-`) && /^[a-z0-9]+$/.test(wanted.slice(name.length + 1));
  return isOwn
    ? []
    : [
        {
          path: [...PATH, 'revisionName'],
          rule: `must be the name of a revision of the set, ${name}-HASH`,
          help: 'kubectl get controllerrevisions -n kruise-system lists them; or leave revision out to inject the newest one',
        },
      ];
}

/** What a set pins that is created: before it is in the cluster it has no revision (rule 7.2.6). */
export function pinOfNewSet(set: KubeObject): InvalidField[] {
  return normalizeSidecarSet(set).pinned === undefined
    ? []
    : [
        {
          path: PATH,
          rule: 'pins a revision, and none exists before the set is in the cluster',
          help: 'leave the field out, and pin a revision in a later commit',
        },
      ];
}
