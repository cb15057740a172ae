import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { listed } from '../values/listed.ts';
import { type NormalSidecarSet, normalizeSidecarSet } from './normalize.ts';
import { CUSTOM_VERSION_LABEL, SET_NAME_LABEL } from './resource.ts';

const FIELD = 'spec.injectionStrategy.revision';
const PATH = FIELD.split('.');
/** How many revisions are named, the newest first. */
const MOST_NAMED = 5;

/**
 * The revision that a set pins: by name, or the newest one of its custom version (OpenKruise sidecarset, rule 6.4.2). `missing`: why
 * there is none, as a sentence part with what to do. A revision of another set is none.
 *
 * @param revisions the ControllerRevisions of any set
 */
export function pinnedRevision(
  { name, pinned }: NormalSidecarSet,
  revisions: readonly KubeObject[],
): { revision: KubeObject } | { missing: string } | undefined {
  if (pinned === undefined) return undefined;
  const own = revisions
    .filter(({ metadata }) => metadata.labels?.[SET_NAME_LABEL] === name)
    .sort((a, b) => (numberOf(b['revision']) ?? 0) - (numberOf(a['revision']) ?? 0));
  const { name: wanted, customVersion } = pinned;
  const found = own.find(({ metadata }) =>
    wanted === undefined
      ? metadata.labels?.[CUSTOM_VERSION_LABEL] === customVersion
      : metadata.name === wanted,
  );
  if (found !== undefined) return { revision: found };
  const what =
    wanted === undefined
      ? `the custom version ${customVersion}, which no revision has`
      : `the revision ${wanted}, which does not exist`;
  return {
    missing: `${FIELD} pins ${what}, so that every pod that the set selects is refused; ${wayOut(own)}`,
  };
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
