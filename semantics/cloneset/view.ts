import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Given, givenBy, withoutGiven } from '../pod/from-templates.ts';
import { type NodeLabels, noNodes } from '../pod/nodes.ts';
import { isActive } from '../pod/readiness.ts';
import { type Pod, REVISION_LABEL } from '../pod/types.ts';
import { revisionNumber, shortHash, sortRevisions, templateOf } from '../revision/revisions.ts';
import { readCounter } from '../values/counter.ts';
import { isListOf, isObject, parsedJson } from '../values/json-shape.ts';
import { selectorPredicate } from '../values/selector.ts';
import { templateHash } from '../template/canonical.ts';
import { type NormalCloneSet, normalizeCloneSet } from './normalize.ts';

/** What the plan's rules remember on a revision beside OpenKruise's own annotations. */
export const COMPLETE_ANNOTATION = 'plan.kruise.io/complete';
export const HELD_ANNOTATION = 'plan.kruise.io/held';
/** How many pod names were derived so far: the counter behind the five letters of a name. */
export const PODS_CREATED_ANNOTATION = 'plan.kruise.io/pods-created';

/** The claim templates that were last beside this template, as JSON: an old pod is made again with its own. */
export const CLAIM_TEMPLATES_ANNOTATION = 'plan.kruise.io/claim-templates';
/** Which of a workload's names a pod has: with it the counter is known without computing names. Its claims have it, too. */
export const POD_NUMBER_ANNOTATION = 'plan.kruise.io/pod-number';

/** Pods that a standing bound keeps behind the stable revision. */
export interface Held {
  hash: string;
  n: number;
}

export interface Revision {
  object: KubeObject;
  name: string;
  /** `h1:…` of the canonical template: what plans speak of. Never a label. */
  hash: string;
  shortHash: string;
  number: number;
  template: JsonObject;
  /** Set when the target was once wholly on this revision; the highest is the stable one. */
  complete: number | undefined;
  held: Held | undefined;
  /** Undefined: nothing is on record, as for what OpenKruise made. */
  claimTemplates: readonly JsonObject[] | undefined;
}

/** Everything the CloneSet rules look at, as plain data of one moment. */
export interface CloneSetView {
  target: KubeObject;
  spec: NormalCloneSet;
  /** Content hash of the template in the target's spec. */
  liveHash: string;
  revisions: Revision[];
  /** Pods that count: owned, matching the selector, not finished, not being deleted. */
  active: Pod[];
  /** Owned pods whose labels no longer match the selector: they are let go (OpenKruise cloneset, rule 6.1 step 5). */
  released: Pod[];
  /** Owned pods that have failed or succeeded: they do not count, and keep their names. */
  ended: Pod[];
  /** Owned pods that are being deleted, and are still there. */
  going: Pod[];
  /** What its pods have from templates, and do not have in this view. */
  given: readonly Given[];
  /** Owned claims, those that are being deleted among them. */
  claims: readonly KubeObject[];
  /** Names of all its pods, terminating and finished ones included. */
  podNames: ReadonlySet<string>;
  /** Names that turned out to be somebody else's: nothing new is called so. */
  takenNames: ReadonlySet<string>;
  nodes: NodeLabels;
  /** Content hash of the revision a pod is on; undefined when no revision object is left of it. */
  hashOf(pod: Pod): string | undefined;
}

/**
 * Builds the view of one CloneSet. Pods and claims are in it without the reserved keys that they have from a template, so that
 * no rule acts on a control key that came from a template.
 *
 * @param seenPods pods whose controller is this target's uid
 * @param revisions ControllerRevisions with the same controller that hold a pod template (not accepted plans)
 * @param seenClaims PersistentVolumeClaims with the same controller
 */
export function cloneSetView(
  target: KubeObject,
  seenPods: readonly Pod[],
  revisions: readonly KubeObject[],
  takenNames: ReadonlySet<string> = new Set(),
  nodes: NodeLabels = noNodes,
  seenClaims: readonly KubeObject[] = [],
): CloneSetView {
  const spec = specOf(target);
  const parsed = sortRevisions(revisions).map(parseRevision);
  const given = givenBy(
    parsed.map(({ template }) => template),
    'pod',
  );
  const pods = given.length === 0 ? seenPods : seenPods.map((pod) => withoutGiven(pod, given));
  const byName = new Map<string, string>();
  for (const revision of parsed) {
    byName.set(revision.name, revision.hash);
    byName.set(revision.shortHash, revision.hash);
  }
  const matches = selectorPredicate(spec.selector);
  const active: Pod[] = [];
  const released: Pod[] = [];
  for (const pod of pods) if (isActive(pod)) (matches(pod.metadata.labels) ? active : released).push(pod);
  let podNames: ReadonlySet<string> | undefined;
  // Pods come in runs of one revision.
  let last: { label: string; hash: string | undefined } = { label: '', hash: undefined };
  let ended: Pod[] | undefined;
  return {
    target,
    spec,
    liveHash: memoized(hashes, target, () => templateHash(spec.template)),
    revisions: parsed,
    active,
    released,
    get ended() {
      return (ended ??= pods.filter((pod) => !isActive(pod) && pod.metadata.deletionTimestamp === undefined));
    },
    get going() {
      return pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
    },
    given,
    claims: claimsWithoutGiven(seenClaims, [
      spec.volumeClaimTemplates,
      ...parsed.map(({ claimTemplates = [] }) => claimTemplates),
    ]),
    // Few passes make pods, and only those ask.
    get podNames() {
      return (podNames ??= new Set(pods.map((pod) => pod.metadata.name)));
    },
    takenNames,
    nodes,
    hashOf: (pod) => {
      const label = pod.metadata.labels?.[REVISION_LABEL] ?? '';
      if (label !== last.label) last = { label, hash: byName.get(label) ?? byName.get(shortHash(label)) };
      return last.hash;
    },
  };
}

/** The spec of an object that is immutable from now on. */
export function specOf(target: KubeObject): NormalCloneSet {
  return memoized(normalized, target, () => normalizeCloneSet(target));
}

function claimsWithoutGiven(
  claims: readonly KubeObject[],
  templates: readonly (readonly JsonObject[])[],
): readonly KubeObject[] {
  const given = claims.length === 0 ? [] : givenBy(templates.flat(), 'claim');
  return given.length === 0 ? claims : claims.map((claim) => withoutGiven(claim, given));
}

export function revisionOf(view: CloneSetView, hash: string | undefined): Revision | undefined {
  // Two objects of equal content can exist (one left by OpenKruise): the newer one is in use.
  return view.revisions.findLast((revision) => revision.hash === hash);
}

/** The revision last marked complete: what every pod is made at until a plan allows more (plan, section 4). */
export function stableRevision(view: CloneSetView): Revision | undefined {
  let stable: Revision | undefined;
  for (const revision of view.revisions) {
    // Of equal ones the newest: a counter at its end is not counted on.
    if (revision.complete !== undefined && revision.complete >= (stable?.complete ?? 0)) stable = revision;
  }
  return stable;
}

/** Objects are immutable once seen, so what was computed of one holds as long as the object does. */
const hashes = new WeakMap<KubeObject, string>();
const normalized = new WeakMap<KubeObject, NormalCloneSet>();
const parsedRevisions = new WeakMap<KubeObject, Revision>();

function memoized<Value>(cache: WeakMap<KubeObject, Value>, key: KubeObject, compute: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = compute();
  cache.set(key, value);
  return value;
}

function parseRevision(object: KubeObject): Revision {
  return memoized(parsedRevisions, object, () => {
    const template = templateOf(object);
    const annotations = object.metadata.annotations ?? {};
    const name = object.metadata.name;
    return {
      object,
      name,
      hash: templateHash(template),
      shortHash: shortHash(name),
      number: revisionNumber(object),
      template,
      complete: readCounter(annotations[COMPLETE_ANNOTATION]),
      held: parseHeld(annotations[HELD_ANNOTATION]),
      claimTemplates: parseClaimTemplates(annotations[CLAIM_TEMPLATES_ANNOTATION]),
    };
  });
}

function parseHeld(text: string | undefined): Held | undefined {
  const [, count, hash = ''] = /^([0-9]+) at (h1:[0-9a-f]+)$/.exec(text ?? '') ?? [];
  const n = readCounter(count);
  return n === undefined ? undefined : { n, hash };
}

/** Somebody may have edited it: what cannot be read is as good as not there. */
function parseClaimTemplates(text: string | undefined): readonly JsonObject[] | undefined {
  const templates = parsedJson(text ?? '');
  return isListOf(isObject)(templates) ? (templates as JsonObject[]) : undefined;
}

/** The form `parseHeld` reads: `2 at h1:…`. */
export function heldText(held: Held): string {
  return `${held.n} at ${held.hash}`;
}
