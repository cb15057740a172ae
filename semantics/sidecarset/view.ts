import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import { type History, parseRevisions, type Revision } from '../revision/revision.ts';
import { templateHash } from '../template/canonical.ts';
import { isSameSelection } from '../values/pod-selection.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import {
  contentOfSpec,
  differInImagesAlone,
  revisedSpec,
  revisionDataOf,
  revisionHashes,
} from './content.ts';
import { isMirror } from '../pod/mirror.ts';
import type { Pod } from '../pod/types.ts';
import { missedPods } from './missed.ts';
import { setHashes, type SetHashes } from './hash.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { injectableOf, normalizeSidecarSet, type NormalSidecarSet } from './normalize.ts';
import type { RevisionRecord } from './pod-record.ts';
import { recordedSelections, selectionOfSet } from './recorded-selection.ts';
import {
  CUSTOM_VERSION_LABEL,
  HASH_ANNOTATION,
  IMAGELESS_HASH_ANNOTATION,
  SET_NAME_LABEL,
} from './resource.ts';
import { selectionTest } from './select.ts';
import { type OwnContainers, type Unit, unitOf } from './unit.ts';

interface ReadTarget {
  spec: NormalSidecarSet & History['spec'];
  liveHash: string;
  own: OwnContainers;
  /** OpenKruise's hashes of the present spec. */
  hashes: SetHashes;
}

/** Everything that the rules of SidecarSets read, as plain data of one time. */
export interface SidecarSetView extends History {
  spec: ReadTarget['spec'];
  hashes: SetHashes;
  /** The pods that the set matches. */
  units: readonly Unit[];
  /**
   * Those of them that no record selects. Whoever creates a pod can give it the annotations and the containers of an injected one, so that
   * no step counts them; what an earlier plan has let in goes back with the others.
   */
  unrecorded: ReadonlySet<Unit>;
  /** The pods that it selects and that have none of its containers. */
  missed: readonly Pod[];
  /** Content hash of the revision that a pod is on; undefined: no revision is known by its record. */
  hashOf(unit: { record: RevisionRecord }): string | undefined;
}

type Identity = Pick<KubeObject['metadata'], 'name' | 'labels' | 'annotations'>;

/**
 * Cached by spec, and what else is read: an observed target is immutable, its status changes often, hashing its content is expensive, and
 * pods know what they are to the set as it was read (`unitOf`).
 */
const read = new WeakMap<object, { of: Identity; found: ReadTarget }>();

function readTarget(target: KubeObject): ReadTarget {
  const spec = objectOf(target['spec']);
  const { name, labels, annotations } = target.metadata;
  const known = read.get(spec);
  if (known?.of.name === name && known.of.labels === labels && known.of.annotations === annotations)
    return known.found;
  const template = contentOfSpec(spec);
  const normal = normalizeSidecarSet(target);
  const found: ReadTarget = {
    spec: { ...normal, template },
    own: { set: normal.name, containers: normal.containers },
    liveHash: templateHash(template),
    hashes: setHashes(spec),
  };
  read.set(spec, { of: { name, labels, annotations }, found });
  return found;
}

/** Builds the view of one set. */
export function sidecarSetView({
  target,
  pods,
  revisions: objects,
  takenNames,
  namespaces,
}: Pick<ObservedObjects, 'target' | 'pods' | 'revisions' | 'takenNames' | 'namespaces'>): SidecarSetView {
  const found = readTarget(target);
  const { spec, hashes } = found;
  const revisions = parseRevisions(objects.map(withContent));
  const version: Record<string, string> =
    spec.customVersion === undefined ? {} : { [CUSTOM_VERSION_LABEL]: spec.customVersion };
  const units: Unit[] = [];
  const unrecorded = new Set<Unit>();
  const others: Pod[] = [];
  const isRecorded = recordTest(spec, revisions, namespaces);
  for (const pod of pods) {
    // What somebody writes there changes no container.
    if (isMirror(pod)) continue;
    const unit = unitOf(pod, found.own);
    if (unit === undefined) {
      if (isRecorded(pod)) others.push(pod);
      continue;
    }
    units.push(unit);
    if (!isRecorded(pod)) unrecorded.add(unit);
  }
  return {
    ...found,
    target,
    revisions,
    takenNames,
    units,
    unrecorded,
    missed: missedPods(target, spec, others),
    form: {
      data: revisionDataOf(objectOf(target['spec'])),
      labels: {
        ...target.metadata.labels,
        [SET_NAME_LABEL]: spec.name,
        ...version,
      },
      following: version,
      annotations: { [HASH_ANNOTATION]: hashes.hash, [IMAGELESS_HASH_ANNOTATION]: hashes.imageless },
    },
    hashOf: hashesOf(revisions, found),
  };
}

/** A test of selected pods: whether those on record include them. Others are not missed yet. */
function recordTest(
  spec: NormalSidecarSet,
  revisions: readonly Revision[],
  namespaces: ObservedObjects['namespaces'] = [],
): (pod: Pod) => boolean {
  const recorded = recordedSelections({ revisions });
  const live = selectionOfSet(spec);
  if (recorded === undefined || recorded.some((each) => isSameSelection(each, live))) return () => true;
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const tests = recorded.map(selectionTest);
  return ({ metadata }) => tests.some((test) => test(metadata.labels, labels.get(metadata.namespace ?? '')));
}

/**
 * The revision of a pod by its record. Contents with one hash of OpenKruise are one to a running pod: they differ in what only
 * new pods get. So a pod with the hash of the present content is on it, whatever revision it names. It is asked of each pod several
 * times in each reconcile, and most of them name what the one before them does.
 */
function hashesOf(revisions: readonly Revision[], live: ReadTarget): SidecarSetView['hashOf'] {
  const find = ({ hash, revision }: RevisionRecord): string | undefined => {
    const named = revisions.find(({ name }) => name === revision);
    if (named !== undefined && revisionHashes(named.object).hash === hash) return named.hash;
    return revisions.findLast(({ object }) => revisionHashes(object).hash === hash)?.hash;
  };
  let last: { record: RevisionRecord; found: string | undefined } | undefined;
  return ({ record }) => {
    if (record.hash === live.hashes.hash) return live.liveHash;
    if (last?.record.hash !== record.hash || last.record.revision !== record.revision)
      last = { record, found: find(record) };
    return last.found;
  };
}

/** A revision with its content where the rules of revisions read it. */
const withContent = remembered((object: KubeObject): KubeObject => ({
  ...object,
  data: { spec: { template: contentOfSpec(revisedSpec(object)) } },
}));

/**
 * Whether a pod can go to a revision in place (OpenKruise sidecarset, rule 6.8.1): nothing but images differs.
 *
 * @param from the revision of the pod; undefined: it is not known, and the record of the pod decides
 */
export function isUpgradable({ record }: Unit, from: Revision | undefined, to: Revision): boolean {
  if (record.imageless === revisionHashes(to.object).imageless) return true;
  return from !== undefined && differInImagesAlone(from.template, to.template);
}

/** What of a revision pods get. */
export function contentOf(view: SidecarSetView, { template, object, name }: Revision): InjectedRevision {
  const content = injectableOf(objectOf(template['spec']));
  return { set: view.spec, ...content, ...revisionHashes(object), revision: name, reason: '' };
}
