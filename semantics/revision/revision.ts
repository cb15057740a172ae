import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { templateHash } from '../template/canonical.ts';
import { readCounter } from '../values/counter.ts';
import { isListOf, isObject, parsedJson } from '../values/json-shape.ts';
import { revisionNumber, shortHash, sortRevisions, templateOf } from './revisions.ts';

/** What the plan's rules remember on a revision beside OpenKruise's own annotations. */
export const COMPLETE_ANNOTATION = 'plan.kruise.io/complete';
export const RETAINED_ANNOTATION = 'plan.kruise.io/held';

/** The claim templates that were last beside this template, as JSON: an old pod is made again with its own. */
export const CLAIM_TEMPLATES_ANNOTATION = 'plan.kruise.io/claim-templates';

/** Pods that a standing bound keeps behind the stable revision. */
export interface RetainedByPartition {
  hash: string;
  n: number;
}

/** A ControllerRevision that holds a template, with what is on record on it. */
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
  retained: RetainedByPartition | undefined;
  /** Undefined: nothing is on record, as for what OpenKruise made. */
  claimTemplates: readonly JsonObject[] | undefined;
}

/** What the rules of revisions read of a target of any kind, at one moment. */
export interface History {
  target: KubeObject;
  /** `volumeClaimTemplates`: left out where a unit of the kind has no claims of its own. */
  spec: { readonly template: JsonObject; readonly volumeClaimTemplates?: readonly JsonObject[] };
  /** Content hash of the template in the target's spec. */
  liveHash: string;
  /** Oldest first. */
  revisions: readonly Revision[];
  /** Names that turned out to be somebody else's: nothing new is called so. */
  takenNames: ReadonlySet<string>;
}

/** The revisions that these objects are, oldest first. */
export function parseRevisions(objects: readonly KubeObject[]): Revision[] {
  return sortRevisions(objects).map(parseRevision);
}

/** The revision with this content; of two the newer one is in use, as OpenKruise may have left an equal one. */
export function revisionOf(
  { revisions }: Pick<History, 'revisions'>,
  hash: string | undefined,
): Revision | undefined {
  return revisions.findLast((revision) => revision.hash === hash);
}

/** The revision last marked complete: what every pod is made at until a plan allows more (plan, section 4). */
export function stableRevision({ revisions }: Pick<History, 'revisions'>): Revision | undefined {
  let stable: Revision | undefined;
  for (const revision of revisions) {
    // Of equal ones the newest: a counter at its end is not counted on.
    if (revision.complete !== undefined && revision.complete >= (stable?.complete ?? 0)) stable = revision;
  }
  return stable;
}

/** Finds the content hash of a revision by what a pod's revision label says: its name or its short hash. */
export function hashesByLabel(revisions: readonly Revision[]): (label: string) => string | undefined {
  const byName = new Map<string, string>();
  for (const revision of revisions) {
    byName.set(revision.name, revision.hash);
    byName.set(revision.shortHash, revision.hash);
  }
  return (label) => byName.get(label) ?? byName.get(shortHash(label));
}

/** The form that is read back from the annotation: `2 at h1:…`. */
export function retainedText(held: RetainedByPartition): string {
  return `${held.n} at ${held.hash}`;
}

/** Objects are immutable once seen, so what was computed of one holds as long as the object does. */
const parsed = new WeakMap<KubeObject, Revision>();

function parseRevision(object: KubeObject): Revision {
  const known = parsed.get(object);
  if (known !== undefined) return known;
  const template = templateOf(object);
  const { name, annotations = {} } = object.metadata;
  const revision: Revision = {
    object,
    name,
    hash: templateHash(template),
    shortHash: shortHash(name),
    number: revisionNumber(object),
    template,
    complete: readCounter(annotations[COMPLETE_ANNOTATION]),
    retained: parseHeld(annotations[RETAINED_ANNOTATION]),
    claimTemplates: parseClaimTemplates(annotations[CLAIM_TEMPLATES_ANNOTATION]),
  };
  parsed.set(object, revision);
  return revision;
}

function parseHeld(text: string | undefined): RetainedByPartition | undefined {
  const [, count, hash = ''] = /^([0-9]+) at (h1:[0-9a-f]+)$/.exec(text ?? '') ?? [];
  const n = readCounter(count);
  return n === undefined ? undefined : { n, hash };
}

/** Somebody may have edited it: what cannot be read is as good as not there. */
function parseClaimTemplates(text: string | undefined): readonly JsonObject[] | undefined {
  const templates = parsedJson(text ?? '');
  return isListOf(isObject)(templates) ? (templates as JsonObject[]) : undefined;
}
