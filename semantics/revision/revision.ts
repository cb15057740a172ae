import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { remembered } from '../values/remembered.ts';
import { asAdopted } from './adopted.ts';
import { templateHash } from '../template/canonical.ts';
import { readCounter } from '../values/counter.ts';
import { isListOf, isObject, parsedJson } from '../values/json-shape.ts';
import { revisionNumber, sortRevisions, templateOf } from './revisions.ts';
import { shortHash } from '../pod/revision-label.ts';

/** Annotations of a revision: when the target was complete on it (a counter), and the pods that a bound retained then. */
export const COMPLETE_ANNOTATION = 'plan.kruise.io/complete';
export const RETAINED_ANNOTATION = 'plan.kruise.io/held';

/** Annotation: the latest claim templates of this revision, as JSON. Its pods are recreated with them. */
export const CLAIM_TEMPLATES_ANNOTATION = 'plan.kruise.io/claim-templates';

/** Units that bounds have left on revisions other than the stable one: so many, most of them on this one. */
export interface RetainedUnits {
  hash: string;
  n: number;
}

/** A ControllerRevision that holds a template, with the records on it. */
export interface Revision {
  object: KubeObject;
  name: string;
  /** The content hash of the template, `h1:…`: plans name revisions by it. It is never a label. */
  hash: string;
  shortHash: string;
  number: number;
  template: JsonObject;
  /** Set if the target was ever complete on this revision; the revision with the highest number is stable. */
  complete: number | undefined;
  retained: RetainedUnits | undefined;
  /** Undefined: none are recorded, as on a revision that OpenKruise created. */
  claimTemplates: readonly JsonObject[] | undefined;
}

/** What the rules of revisions read of a target of any kind. */
export interface History {
  target: KubeObject;
  /** `volumeClaimTemplates`: undefined where units of the kind have no claims of their own. */
  spec: { readonly template: JsonObject; readonly volumeClaimTemplates?: readonly JsonObject[] };
  /** Content hash of the template in the target's spec. */
  liveHash: string;
  /** Oldest first. */
  revisions: readonly Revision[];
  /** Names that other objects were found to have; no new object gets one of them. */
  takenNames: ReadonlySet<string>;
  /** How a revision of the live template is written, where it is more than a pod template. */
  form?: RevisionForm;
}

/** What a new ControllerRevision holds. */
export interface RevisionForm {
  data: JsonObject;
  labels: Readonly<Record<string, string>>;
  /** Those of them that follow the target: the revision of the live template gets them anew when they change. */
  following?: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/** Parses ControllerRevisions; the result is sorted, oldest first. */
export function parseRevisions(objects: readonly KubeObject[]): Revision[] {
  return sortRevisions(objects).map(parseRevision);
}

/** The revision with this content. OpenKruise may have created an equal one: the newest applies. */
export function revisionOf(
  { revisions }: Pick<History, 'revisions'>,
  hash: string | undefined,
): Revision | undefined {
  return revisions.findLast((revision) => revision.hash === hash);
}

/**
 * The revision that was last marked complete: pods are created on it until a plan allows more
 * (docs/explanation/rollout.md).
 */
export function stableRevision({ revisions }: Pick<History, 'revisions'>): Revision | undefined {
  let stable: Revision | undefined;
  for (const revision of revisions) {
    // Of equal counters the newest revision applies: a counter at its maximum does not grow any more.
    if (revision.complete !== undefined && revision.complete >= (stable?.complete ?? 0)) stable = revision;
  }
  return stable;
}

/** Finds the content hash of a revision by the revision label of a pod, which has the name or the short hash. */
export function hashesByLabel(revisions: readonly Revision[]): (label: string) => string | undefined {
  const byName = new Map<string, string>();
  for (const revision of revisions) {
    byName.set(revision.name, revision.hash);
    byName.set(revision.shortHash, revision.hash);
  }
  return (label) => byName.get(label) ?? byName.get(shortHash(label));
}

/** The value of the annotation: `2 at h1:…`. */
export function retainedText(retained: RetainedUnits): string {
  return `${retained.n} at ${retained.hash}`;
}

/** Cached by object: observed objects are immutable. */
const parseRevision = remembered((object: KubeObject): Revision => {
  const template = asAdopted(object, templateOf(object));
  const { name, annotations = {} } = object.metadata;
  const revision: Revision = {
    object,
    name,
    hash: templateHash(template),
    shortHash: shortHash(name),
    number: revisionNumber(object),
    template,
    complete: readCounter(annotations[COMPLETE_ANNOTATION]),
    retained: parseRetained(annotations[RETAINED_ANNOTATION]),
    claimTemplates: parseClaimTemplates(annotations[CLAIM_TEMPLATES_ANNOTATION]),
  };
  return revision;
});

function parseRetained(text: string | undefined): RetainedUnits | undefined {
  const [, count, hash = ''] = /^([0-9]+) at (h1:[0-9a-f]+)$/.exec(text ?? '') ?? [];
  const n = readCounter(count);
  return n === undefined ? undefined : { n, hash };
}

/** A user may have edited the annotation: a value that cannot be parsed counts as absent. */
function parseClaimTemplates(text: string | undefined): readonly JsonObject[] | undefined {
  const templates = parsedJson(text ?? '');
  return isListOf(isObject)(templates) ? (templates as JsonObject[]) : undefined;
}
